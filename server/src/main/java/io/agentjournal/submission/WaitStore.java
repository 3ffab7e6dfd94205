package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.refusal.Refusal.WaitConflict;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets submissions wait, and answers what they wait for, inside a caller's transaction. The
 * submission's lock puts questions and answers in order. While it waits nobody holds it: its slot
 * stays, and an open stream of the slot has no writer.
 */
final class WaitStore {
  private static final int MAX_WAITS = 200;

  /**
   * Of the waits that are shown with a submission, together: they have to fit into every answer.
   */
  private static final int MAX_WAITS_BYTES = 1 << 20;

  private static final String SUSPEND =
      """
      UPDATE submissions
         SET status = 'WAITING', attempt_id = NULL, owner = NULL, lease_ms = NULL, lease_expires_at = NULL,
             waiting_since = now(),
             recovery_requested_at = NULL, recovery_not_before = NULL, recovery_reason = NULL,
             recovery_is_counted = NULL
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING' AND attempt_id = ?
      """;

  private static final String ASKED =
      """
      UPDATE submissions
         SET suspended_at = now(), not_before = now() + ? * interval '1 millisecond'
       WHERE namespace = ? AND submission_id = ?
      """;

  /**
   * Without a row for it the waits are over at the beginning; with an endless one they never are.
   */
  private static final String SCHEDULE =
      """
      UPDATE submissions
         SET runnable_at =
               LEAST(not_before,
                     (SELECT CASE WHEN count(*) > 0 AND NOT bool_or(answered_at IS NULL AND expires_at IS NULL)
                                  THEN COALESCE(max(expires_at) FILTER (WHERE answered_at IS NULL), now())
                             END
                        FROM submission_waits
                       WHERE namespace = ? AND submission_id = ? AND asked_at = submissions.suspended_at))
       WHERE namespace = ? AND submission_id = ? AND status = 'WAITING'
      """;

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final AttemptRows attempts;
  private final SlotRows slots;
  private final SettlementStore settlements;
  private final StreamHeads streams;
  private final WaitRows waits = new WaitRows();
  private final EventRows events = new EventRows();

  WaitStore(
      SessionRows sessions,
      SubmissionRows rows,
      AttemptRows attempts,
      SlotRows slots,
      SettlementStore settlements,
      StreamHeads streams) {
    this.sessions = sessions;
    this.rows = rows;
    this.attempts = attempts;
    this.slots = slots;
    this.settlements = settlements;
    this.streams = streams;
  }

  /**
   * Asks, and unless all is answered already and there is no delay, gives the submission up until
   * it is. If an abort is requested, settles it instead.
   *
   * @return false: the attempt did so already
   * @throws SubmissionNotFound there is no such submission
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   * @throws WaitConflict one of the ids was used for another question
   */
  boolean suspend(Connection connection, AttemptId attempt, Suspension suspension)
      throws SQLException {
    SubmissionId id = attempt.submission();
    sessions.lockIfPresent(connection, rows.sessionOf(connection, id));
    Standing submission = rows.lockForUpdate(connection, id);
    boolean isAsked = isAsked(connection, id, suspension.waits());
    AttemptMarker marker = attempts.find(connection, attempt);
    if (isAsked && marker != null && marker.end() == AttemptEnd.SUSPENDED) {
      return false;
    }
    submission.requireHeldBy(attempt);
    requireSameQuestions(connection, id, suspension.waits());
    Slot slot = slots.lock(connection, id);
    if (submission.isAbortRequested()) {
      Settlement aborted = Settlement.without(Outcome.ABORTED, AbortStore.ABORTED, "");
      settlements.settleLocked(connection, submission, slot, aborted, null);
      return true;
    }
    ask(connection, id, suspension);
    requireRoom(connection, id);
    if (suspension.delay() == null && isAnswered(connection, id, suspension.waits())) {
      return !isAsked;
    }
    giveUp(connection, attempt, slot);
    return true;
  }

  /**
   * Answers one wait; the first answer wins.
   *
   * @return false: it was answered so already
   * @throws SubmissionNotFound there is no such submission
   * @throws WaitConflict it was answered otherwise
   * @throws AlreadySettled nobody waits any more
   */
  boolean resume(Connection connection, SubmissionId id, Answer answer) throws SQLException {
    Standing submission = rows.lockForUpdate(connection, id);
    Wait wait = waits.find(connection, id, answer.waitId());
    if (wait != null && wait.answeredAt() != null) {
      if (wait.isAnsweredWith(answer)) {
        return false;
      }
      throw new WaitConflict(id.id(), answer.waitId());
    }
    submission.requireUnsettled();
    waits.answer(connection, id, answer);
    requireRoom(connection, id);
    schedule(connection, id);
    if (wait != null && submission.status() == SubmissionStatus.WAITING) {
      // Nobody writes the slot while the submission's row is locked against all.
      Slot slot = slots.find(connection, id);
      StreamKey stream = slot == null ? null : slot.streamKey();
      tellWaits(
          connection, id, stream == null ? null : streams.lockIndexIfOpen(connection, stream));
    }
    return true;
  }

  /** All of the questions are there, just so. */
  private boolean isAsked(Connection connection, SubmissionId id, List<NewWait> questions)
      throws SQLException {
    for (NewWait question : questions) {
      Wait wait = waits.find(connection, id, question.waitId());
      if (wait == null || wait.askedAt() == null || !wait.question().equals(question.question())) {
        return false;
      }
    }
    return true;
  }

  private void requireSameQuestions(Connection connection, SubmissionId id, List<NewWait> questions)
      throws SQLException {
    for (NewWait question : questions) {
      Wait wait = waits.find(connection, id, question.waitId());
      if (wait != null && wait.askedAt() != null && !wait.question().equals(question.question())) {
        throw new WaitConflict(id.id(), question.waitId());
      }
    }
  }

  private void ask(Connection connection, SubmissionId id, Suspension suspension)
      throws SQLException {
    waits.ask(connection, id, suspension.waits());
    try (PreparedStatement statement = connection.prepareStatement(ASKED)) {
      Long delayMillis = suspension.delay() == null ? null : suspension.delay().toMillis();
      statement.setObject(1, delayMillis, Types.BIGINT);
      statement.setString(2, id.namespace().name());
      statement.setString(3, id.id());
      statement.executeUpdate();
    }
  }

  private boolean isAnswered(Connection connection, SubmissionId id, List<NewWait> questions)
      throws SQLException {
    for (NewWait question : questions) {
      Wait wait = waits.find(connection, id, question.waitId());
      if (wait == null || wait.answeredAt() == null) {
        return false;
      }
    }
    return true;
  }

  private void requireRoom(Connection connection, SubmissionId id) throws SQLException {
    List<Wait> current = waits.current(connection, id);
    if (current.size() > MAX_WAITS) {
      throw new TooLarge("waits", current.size(), MAX_WAITS);
    }
    int sizeBytes = current.stream().mapToInt(Wait::sizeBytes).sum();
    if (sizeBytes > MAX_WAITS_BYTES) {
      throw new TooLarge("waits", sizeBytes, MAX_WAITS_BYTES);
    }
  }

  private void giveUp(Connection connection, AttemptId attempt, @Nullable Slot slot)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SUSPEND)) {
      statement.setString(1, attempt.namespace().name());
      statement.setString(2, attempt.submission().id());
      statement.setString(3, attempt.id());
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a submission changed hands under its lock");
      }
    }
    schedule(connection, attempt.submission());
    attempts.end(connection, attempt, AttemptEnd.SUSPENDED, null, null);
    StreamKey stream = slot == null ? null : slot.streamKey();
    Long streamIndex = stream == null ? null : streams.repointIfOpen(connection, stream, null);
    tellWaits(connection, attempt.submission(), streamIndex);
  }

  /** That it waits, and for what. */
  private void tellWaits(Connection connection, SubmissionId id, @Nullable Long streamIndex)
      throws SQLException {
    List<String> open =
        waits.current(connection, id).stream()
            .filter(wait -> wait.askedAt() != null && wait.answeredAt() == null)
            .map(Wait::waitId)
            .toList();
    events.append(
        connection,
        id,
        streamIndex,
        new Event.StatusChanged(SubmissionStatus.WAITING.name(), null, open));
  }

  private static void schedule(Connection connection, SubmissionId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SCHEDULE)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      statement.setString(3, id.namespace().name());
      statement.setString(4, id.id());
      statement.executeUpdate();
    }
  }
}
