package io.agentjournal.slot;

import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The statements by which a slot moves. Each writes one transition and who made it; the caller
 * holds the submission's and the slot's lock, has judged that the transition may be made, and moves
 * the slot once. Stateless and thread-safe.
 */
public final class SlotTransitionRows {
  private static final String BEGIN =
      """
      INSERT INTO turn_journals AS slot (namespace, submission_id, session_key, kind, attempt_id, turn_id, revision,
                                         phase, begun_by, operation_id, traceparent)
      VALUES (?, ?, ?, ?, ?, ?, 1, 'before_provider', ?, ?, ?)
      ON CONFLICT (namespace, submission_id) DO UPDATE
         SET attempt_id = EXCLUDED.attempt_id, turn_id = EXCLUDED.turn_id, revision = slot.revision + 1,
             phase = EXCLUDED.phase, begun_by = EXCLUDED.begun_by, operation_id = EXCLUDED.operation_id,
             created_at = now(), traceparent = EXCLUDED.traceparent,
             started_by = NULL, stream_key = NULL, content_type = NULL,
             consumed_by = NULL, stream_consumed_at = NULL,
             requested_by = NULL, calls_sha256 = NULL, checkpoint_leaf_id = NULL, request_leaf_id = NULL,
             committed_by = NULL, committed_leaf_id = NULL, final = false, committed_at = NULL,
             updated_at = now()
      """;

  private static final String START =
      """
      UPDATE turn_journals
         SET phase = 'provider_started', started_by = ?, stream_key = ?, content_type = ?, updated_at = now()
       WHERE namespace = ? AND submission_id = ? AND phase = 'before_provider'
      """;

  private static final String CONSUME =
      """
      UPDATE turn_journals
         SET consumed_by = ?, stream_consumed_at = now(), updated_at = now()
       WHERE namespace = ? AND submission_id = ? AND phase = 'provider_started' AND stream_consumed_at IS NULL
      """;

  private static final String REQUEST =
      """
      UPDATE turn_journals
         SET phase = 'tool_request_recorded', requested_by = ?, calls_sha256 = ?, checkpoint_leaf_id = ?,
             request_leaf_id = ?, updated_at = now()
       WHERE namespace = ? AND submission_id = ? AND phase = 'provider_started'
      """;

  private static final String COMMIT =
      """
      UPDATE turn_journals
         SET phase = 'committed', committed_by = ?, committed_leaf_id = ?, final = ?, committed_at = now(),
             updated_at = now()
       WHERE namespace = ? AND submission_id = ? AND phase IN ('provider_started', 'tool_request_recorded')
      """;

  private final EarlierTurnRows earlierTurns = new EarlierTurnRows();

  /** Creates the slot, or keeps its turn among the earlier ones and replaces it in place. */
  public void begin(
      Connection connection,
      SubmissionId submission,
      SessionKey session,
      String kind,
      String turnId,
      TurnFacts.Begun begun,
      @Nullable String traceparent)
      throws SQLException {
    earlierTurns.keep(connection, submission);
    try (PreparedStatement statement = connection.prepareStatement(BEGIN)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, session.key());
      statement.setString(4, kind);
      statement.setString(5, begun.attemptId());
      statement.setString(6, turnId);
      statement.setString(7, begun.attemptId());
      statement.setString(8, begun.operationId());
      statement.setString(9, traceparent);
      executeOnce(statement, submission);
    }
  }

  /** To provider_started. */
  public void start(Connection connection, SubmissionId submission, TurnFacts.Started started)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(START)) {
      statement.setString(1, started.attemptId());
      statement.setString(2, started.streamKey());
      statement.setString(3, started.contentType());
      statement.setString(4, submission.namespace().name());
      statement.setString(5, submission.id());
      executeOnce(statement, submission);
    }
  }

  /** Stamps the stream as consumed. */
  public void consume(Connection connection, SubmissionId submission, TurnFacts.Consumed consumed)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CONSUME)) {
      statement.setString(1, consumed.attemptId());
      statement.setString(2, submission.namespace().name());
      statement.setString(3, submission.id());
      executeOnce(statement, submission);
    }
  }

  /** To tool_request_recorded. */
  public void request(Connection connection, SubmissionId submission, TurnFacts.Requested requested)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REQUEST)) {
      statement.setString(1, requested.attemptId());
      statement.setBytes(2, requested.callsSha256().toByteArray());
      statement.setString(3, requested.checkpointLeafId());
      statement.setString(4, requested.requestLeafId());
      statement.setString(5, submission.namespace().name());
      statement.setString(6, submission.id());
      executeOnce(statement, submission);
    }
  }

  /** To committed. */
  public void commit(Connection connection, SubmissionId submission, TurnFacts.Committed committed)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COMMIT)) {
      statement.setString(1, committed.attemptId());
      statement.setString(2, committed.leafId());
      statement.setBoolean(3, committed.isFinal());
      statement.setString(4, submission.namespace().name());
      statement.setString(5, submission.id());
      executeOnce(statement, submission);
    }
  }

  private static void executeOnce(PreparedStatement statement, SubmissionId submission)
      throws SQLException {
    if (statement.executeUpdate() != 1) {
      throw new IllegalStateException("a transition judged possible was not: " + submission);
    }
  }
}
