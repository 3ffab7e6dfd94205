package io.agentjournal.segment;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.StreamOpen;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * An open stream of a turn, as the slot's transactions make it and move it on. Of submission and
 * slot there is only as much as a test writes itself.
 */
final class BoundStream {
  private final DatabaseAddress database;
  private final StreamHeads heads = new StreamHeads();
  private final AttemptId attempt =
      new AttemptId(
          new SubmissionId(Namespace.DEFAULT, "submission-" + UUID.randomUUID()), "attempt");
  private final StreamKey streamKey = StreamKey.ofTurn(attempt, "turn");

  BoundStream(DatabaseAddress database) {
    this.database = database;
    change(
        connection -> heads.openBound(connection, streamKey, attempt, "turn", "text/plain", false));
  }

  /** What is to be done in a transaction. */
  interface Change {
    void on(Connection connection) throws SQLException;
  }

  void change(Change change) {
    try (Connection connection = TestPostgres.connect(database)) {
      connection.setAutoCommit(false);
      change.on(connection);
      connection.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The attempt is replaced: another one may write. */
  void repoint(String nextAttemptId) {
    change(connection -> heads.repointIfOpen(connection, streamKey, nextAttemptId));
  }

  void supersede() {
    supersede(() -> {});
  }

  /** With something that is done before the commit. */
  void supersede(Runnable beforeCommit) {
    change(
        connection -> {
          heads.endIfOpen(connection, streamKey, StreamState.SUPERSEDED, null);
          beforeCommit.run();
        });
  }

  /** Rows as another concept writes them, as far as deletion looks at them. */
  void submission(String status, boolean slotNamesStream) {
    submission(status, slotNamesStream, () -> {});
  }

  /** With something that is done before the commit. */
  void submission(String status, boolean slotNamesStream, Runnable beforeCommit) {
    change(
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(
                  """
                  INSERT INTO submissions (namespace, submission_id, session_key, sequence, kind, queue,
                    status, input_case, input, admission_sha256, max_attempts, timeout_ms)
                  VALUES ('default', ?, 'session', 1, 'DIRECT', 'default', ?, 1, '', '', 10, 1000)
                  ON CONFLICT (namespace, submission_id) DO UPDATE SET status = excluded.status
                  """)) {
            statement.setString(1, attempt.submission().id());
            statement.setString(2, status);
            statement.executeUpdate();
          }
          try (PreparedStatement statement =
              connection.prepareStatement(
                  """
                  INSERT INTO turn_journals (namespace, submission_id, session_key, kind, attempt_id,
                    turn_id, revision, phase, begun_by, operation_id, stream_key)
                  VALUES ('default', ?, 'session', 'DIRECT', 'attempt', 'turn', 1, 'committed',
                    'attempt', 'operation', ?)
                  ON CONFLICT (namespace, submission_id) DO UPDATE SET stream_key = excluded.stream_key
                  """)) {
            statement.setString(1, attempt.submission().id());
            statement.setString(2, slotNamesStream ? key() : "another");
            statement.executeUpdate();
          }
          beforeCommit.run();
        });
  }

  String key() {
    return streamKey.key();
  }

  StreamKey streamKey() {
    return streamKey;
  }

  AttemptRef attempt() {
    return AttemptRef.newBuilder()
        .setSubmissionId(attempt.submission().id())
        .setAttemptId(attempt.id())
        .build();
  }

  StreamOpen open() {
    return StreamOpen.newBuilder().setStreamKey(key()).setAttempt(attempt()).build();
  }
}
