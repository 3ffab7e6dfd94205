package io.agentjournal.event;

import io.agentjournal.database.Transactions;
import io.agentjournal.event.WatchRows.SessionRow;
import io.agentjournal.event.WatchRows.SubmissionRow;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.segment.StretchRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds out where a watch begins. Thread-safe; blocks. */
final class WatchStartStore {
  private final Transactions transactions;
  private final WatchRows rows = new WatchRows();

  WatchStartStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Where it begins.
   *
   * @return nothing: the cursor is of something that was deleted since
   * @throws SubmissionNotFound without a cursor: there is no such submission
   * @throws SessionNotFound without a cursor: there is no such session
   */
  Optional<WatchPosition> start(WatchTarget target, @Nullable WatchCursor cursor) {
    return transactions.snapshot(
        "WatchSubmission start",
        tx ->
            Optional.ofNullable(
                target instanceof WatchTarget.OfSession session
                    ? ofSession(tx, session.session(), cursor)
                    : ofSubmission(tx, ((WatchTarget.OfSubmission) target).submission(), cursor)));
  }

  private @Nullable WatchPosition ofSubmission(
      Connection connection, SubmissionId id, @Nullable WatchCursor cursor) throws SQLException {
    SubmissionRow found = rows.submission(connection, id);
    if (cursor == null) {
      if (found == null) {
        throw new SubmissionNotFound(id.id());
      }
      return WatchPosition.before(
          found.watched().admittedMicros(), found.sequence(), found.watched());
    }
    if (found == null || found.watched().admittedMicros() != cursor.born()) {
      return null;
    }
    return at(connection, found, cursor);
  }

  private @Nullable WatchPosition ofSession(
      Connection connection, SessionKey key, @Nullable WatchCursor cursor) throws SQLException {
    SessionRow session = rows.session(connection, key);
    if (cursor == null) {
      if (session == null) {
        throw new SessionNotFound(key.key());
      }
      return now(connection, key, session);
    }
    if (session == null || session.isDeleting() || session.born() != cursor.born()) {
      return null;
    }
    if (cursor.eventNumber() == WatchCursor.ALL) {
      return WatchPosition.behind(cursor.born(), cursor.sequence());
    }
    SubmissionRow found = rows.fromSequence(connection, key, cursor.sequence());
    if (found == null || found.sequence() != cursor.sequence()) {
      throw WatchCursor.notOurs();
    }
    return at(connection, found, cursor);
  }

  /** From the submission that is not settled; or from now, which is behind the last one. */
  private WatchPosition now(Connection connection, SessionKey key, SessionRow session)
      throws SQLException {
    Long first = session.firstUnsettled();
    SubmissionRow found = first == null ? null : rows.fromSequence(connection, key, first);
    return found == null
        ? WatchPosition.behind(session.born(), session.lastSequence())
        : WatchPosition.before(session.born(), found.sequence(), found.watched());
  }

  private WatchPosition at(Connection connection, SubmissionRow found, WatchCursor cursor)
      throws SQLException {
    SubmissionId id = found.watched().id();
    long number = cursor.eventNumber();
    if (number != 0 && !rows.exists(connection, id, number)) {
      throw WatchCursor.notOurs();
    }
    StretchRows.Place place = null;
    if (cursor.segmentIndex() != WatchCursor.NO_STREAM) {
      StreamKey opened = rows.opened(connection, id, number);
      if (opened == null) {
        throw WatchCursor.notOurs();
      }
      place = new StretchRows.Place(opened, cursor.segmentIndex());
    }
    return new WatchPosition(cursor.born(), found.sequence(), found.watched(), number, place);
  }
}
