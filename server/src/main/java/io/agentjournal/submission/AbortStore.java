package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stamps abort requests, inside a caller's transaction. The first stamp wins. Whoever does not run
 * is settled with it; of one that runs the stream's writers hear.
 */
final class AbortStore {
  /** The failure's code of a submission that an abort settled. */
  static final String ABORTED = "abort_requested";

  private static final int SUBMISSIONS_PER_TRANSACTION = 100;

  private static final String STAMP =
      """
      UPDATE submissions
         SET abort_requested_at = now(), abort_reason = ?
       WHERE namespace = ? AND submission_id = ? AND status <> 'SETTLED' AND abort_requested_at IS NULL
      """;

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final QueueRows queue;
  private final SlotRows slots;
  private final SettlementStore settlements;
  private final StreamHeads streams;
  private final EventRows events = new EventRows();

  AbortStore(
      SessionRows sessions,
      SubmissionRows rows,
      QueueRows queue,
      SlotRows slots,
      SettlementStore settlements,
      StreamHeads streams) {
    this.sessions = sessions;
    this.rows = rows;
    this.queue = queue;
    this.slots = slots;
    this.settlements = settlements;
    this.streams = streams;
  }

  /**
   * Aborts one submission.
   *
   * @return its id, if this stamped it
   * @throws SubmissionNotFound there is no such submission
   */
  List<String> abort(Connection connection, SubmissionId id, String reason) throws SQLException {
    sessions.lockIfPresent(connection, rows.sessionOf(connection, id));
    Standing submission = rows.lockForUpdate(connection, id);
    return abort(connection, submission, reason) ? List.of(id.id()) : List.of();
  }

  /**
   * A part of a session's submissions.
   *
   * @param stamped those that this stamped
   * @param lowestSequence of those that were looked at; 0: nothing was left
   */
  record Slice(List<String> stamped, long lowestSequence) {}

  /**
   * Aborts the last submissions of a session below a place in its order. From the last one up to
   * the first, so that none of them begins to run in between.
   *
   * @throws SessionNotFound there is no such session
   */
  Slice abortSlice(Connection connection, SessionKey key, long belowSequence, String reason)
      throws SQLException {
    if (sessions.lockIfPresent(connection, key) == null) {
      throw new SessionNotFound(key.key());
    }
    List<QueueRows.Place> places =
        queue.lastBelow(connection, key, belowSequence, SUBMISSIONS_PER_TRANSACTION);
    Map<String, Standing> locked = new HashMap<>();
    List<String> inLockOrder =
        new ArrayList<>(places.stream().map(QueueRows.Place::submissionId).toList());
    inLockOrder.sort(Comparator.naturalOrder());
    for (String id : inLockOrder) {
      locked.put(id, rows.lockForUpdate(connection, new SubmissionId(key.namespace(), id)));
    }
    List<String> stamped = new ArrayList<>();
    long lowest = 0;
    for (QueueRows.Place place : places) {
      lowest = place.sequence();
      Standing submission = locked.get(place.submissionId());
      if (submission != null && abort(connection, submission, reason)) {
        stamped.add(place.submissionId());
      }
    }
    return new Slice(stamped, lowest);
  }

  /** False: it is settled, or somebody came before. The session is locked, and the submission. */
  private boolean abort(Connection connection, Standing submission, String reason)
      throws SQLException {
    if (!stamp(connection, submission.id(), reason)) {
      return false;
    }
    Slot slot = slots.lock(connection, submission.id());
    boolean isRunning = submission.status() == SubmissionStatus.RUNNING;
    Long streamIndex = tellStream(connection, slot == null ? null : slot.streamKey(), isRunning);
    events.append(connection, submission.id(), streamIndex, new Event.AbortRequested(reason));
    if (!isRunning) {
      Settlement aborted = Settlement.without(Outcome.ABORTED, ABORTED, reason);
      settlements.settleLocked(connection, submission, slot, aborted, null);
    }
    return true;
  }

  /** Where the stream stands; null: none is open. */
  private @Nullable Long tellStream(
      Connection connection, @Nullable StreamKey stream, boolean hasWriter) throws SQLException {
    if (stream == null) {
      return null;
    }
    return hasWriter
        ? streams.requestAbortIfOpen(connection, stream)
        : streams.lockIndexIfOpen(connection, stream);
  }

  private static boolean stamp(Connection connection, SubmissionId id, String reason)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STAMP)) {
      statement.setString(1, reason);
      statement.setString(2, id.namespace().name());
      statement.setString(3, id.id());
      return statement.executeUpdate() == 1;
    }
  }
}
