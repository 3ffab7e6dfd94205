package io.agentjournal.event;

import io.agentjournal.database.Transactions;
import io.agentjournal.event.WatchFound.Elsewhere;
import io.agentjournal.event.WatchFound.Gone;
import io.agentjournal.event.WatchFound.More;
import io.agentjournal.event.WatchFound.Nothing;
import io.agentjournal.event.WatchRows.Events;
import io.agentjournal.event.WatchRows.SessionRow;
import io.agentjournal.event.WatchRows.SubmissionRow;
import io.agentjournal.key.SessionKey;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import java.sql.Connection;
import java.sql.SQLException;

/** Looks for what comes behind a watch's position. Thread-safe; blocks. */
final class WatchStore {
  private final Transactions transactions;
  private final WatchRows rows = new WatchRows();
  private final StretchRows streams = new StretchRows();

  WatchStore(Transactions transactions) {
    this.transactions = transactions;
  }

  WatchFound look(WatchTarget target, WatchPosition position, boolean withSegments) {
    WatchPosition.Watched watched = position.submission();
    return transactions.snapshot(
        "WatchSubmission",
        tx ->
            watched == null
                ? next(tx, ((WatchTarget.OfSession) target).session(), position)
                : more(tx, watched, position, withSegments));
  }

  /**
   * First whether it is settled, then the stream, then the events: whatever is committed between
   * two of these looks stands behind what they found.
   */
  private WatchFound more(
      Connection connection,
      WatchPosition.Watched watched,
      WatchPosition position,
      boolean withSegments)
      throws SQLException {
    SubmissionRow found = rows.submission(connection, watched.id());
    if (found == null || !found.watched().equals(watched)) {
      return new Gone();
    }
    StretchRows.Place place = position.stream();
    StreamStretch stretch = place == null ? null : stretch(connection, place, withSegments);
    Events events = rows.events(connection, watched.id(), position.eventNumber());
    return new More(stretch, events.events(), events.isCut(), found.isSettled());
  }

  private StreamStretch stretch(
      Connection connection, StretchRows.Place place, boolean withSegments) throws SQLException {
    return withSegments ? streams.find(connection, place) : streams.head(connection, place.key());
  }

  private WatchFound next(Connection connection, SessionKey key, WatchPosition position)
      throws SQLException {
    SessionRow session = rows.session(connection, key);
    if (session == null || session.isDeleting() || session.born() != position.born()) {
      return new Gone();
    }
    SubmissionRow next = rows.fromSequence(connection, key, position.sequence() + 1);
    return next == null
        ? new Nothing()
        : new Elsewhere(WatchPosition.before(position.born(), next.sequence(), next.watched()));
  }
}
