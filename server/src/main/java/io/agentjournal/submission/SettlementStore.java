package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.segment.StreamState;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.ToolCallRows;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settles submissions, inside a caller's transaction. The first terminal state wins and stays.
 * Stateless and thread-safe.
 */
public final class SettlementStore {
  /** The finish reason of a stream that was open when its submission was settled. */
  private static final String STREAM_CUT = "settled";

  private static final String SETTLE =
      """
      UPDATE submissions
         SET status = 'SETTLED', outcome = ?, result_case = ?, result = ?, failure_code = ?, failure_message = ?,
             settled_by_attempt_id = ?, settlement_sha256 = ?, unresolved_tool_call_ids = ?, settled_at = now(),
             attempt_id = NULL, owner = NULL, lease_ms = NULL, lease_expires_at = NULL, waiting_since = NULL,
             runnable_at = NULL
       WHERE namespace = ? AND submission_id = ? AND status <> 'SETTLED'
      """;

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final SlotRows slots;
  private final TranscriptStore transcript;
  private final StreamHeads streams;
  private final ToolCallRows toolCalls = new ToolCallRows();
  private final QueueRows queue = new QueueRows();
  private final AttemptRows attempts = new AttemptRows();
  private final ReceiptRows receipts = new ReceiptRows();
  private final EventRows events = new EventRows();

  public SettlementStore(
      SessionRows sessions,
      SubmissionRows rows,
      SlotRows slots,
      TranscriptStore transcript,
      StreamHeads streams) {
    this.sessions = sessions;
    this.rows = rows;
    this.slots = slots;
    this.transcript = transcript;
    this.streams = streams;
  }

  /**
   * What SettleSubmission does, whole.
   *
   * @return false: the attempt had settled it so already
   */
  public boolean settle(
      Connection connection, AttemptId attempt, Settlement settlement, NewEntries entries)
      throws SQLException {
    SessionKey key = rows.sessionOf(connection, attempt.submission());
    LockedSession session = sessions.lockIfPresent(connection, key);
    Standing submission = rows.lockForUpdate(connection, attempt.submission());
    if (submission.wasSettledBy(attempt, settlement)
        && transcript.hasAll(connection, key, entries)) {
      return false;
    }
    submission.requireHeldBy(attempt);
    Slot slot = slots.lock(connection, attempt.submission());
    requireCommitted(slot, settlement.outcome());
    if (session != null) {
      transcript.append(connection, session, entries);
    }
    settleLocked(connection, submission, slot, settlement, attempt.id());
    return true;
  }

  /**
   * Settles a submission, whoever asks. The caller has locked its session, then the submission FOR
   * UPDATE, then the slot, and has judged that it may be settled.
   *
   * @param slot as it is by now; null: no turn was begun
   * @param attemptId who settles it; null: no attempt does
   */
  public void settleLocked(
      Connection connection,
      Standing submission,
      @Nullable Slot slot,
      Settlement settlement,
      @Nullable String attemptId)
      throws SQLException {
    SubmissionId id = submission.id();
    List<String> unresolved =
        slot == null ? List.of() : toolCalls.unresolved(connection, id, slot.turn().turnId());
    write(connection, id, settlement, attemptId, unresolved);
    receipts.settle(connection, id, settlement.outcome());
    if (submission.attemptId() != null) {
      AttemptId holder = new AttemptId(id, submission.attemptId());
      attempts.end(connection, holder, AttemptEnd.SETTLED, null, null);
    }
    queue.remove(connection, submission.session(), id);
    StreamKey stream = slot == null ? null : slot.streamKey();
    if (stream != null) {
      streams.endIfOpen(connection, stream, StreamState.FAILED, STREAM_CUT);
    }
    events.append(
        connection,
        id,
        new Event.StatusChanged(
            SubmissionStatus.SETTLED.name(), settlement.outcome().name(), List.of()));
  }

  /** A turn that is not committed is not done: it may be dropped, but not called complete. */
  private static void requireCommitted(@Nullable Slot slot, Outcome outcome) {
    if (slot != null && slot.phase() != Phase.COMMITTED && outcome == Outcome.COMPLETED) {
      throw new IllegalPhase(slot.phase().stored(), Phase.COMMITTED.stored());
    }
  }

  private static void write(
      Connection connection,
      SubmissionId id,
      Settlement settlement,
      @Nullable String attemptId,
      List<String> unresolved)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SETTLE)) {
      statement.setString(1, settlement.outcome().name());
      statement.setInt(2, settlement.result().kind().code());
      statement.setBytes(3, settlement.result().bytes().toByteArray());
      statement.setString(4, settlement.failureCode());
      statement.setString(5, settlement.failureMessage());
      statement.setString(6, attemptId);
      statement.setBytes(7, settlement.sha256().toByteArray());
      statement.setArray(8, connection.createArrayOf("text", unresolved.toArray()));
      statement.setString(9, id.namespace().name());
      statement.setString(10, id.id());
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a submission was settled under its lock");
      }
    }
  }
}
