package io.agentjournal.run;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.key.RunId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The rows of runs and of their claims, one run at a time. Stateless and thread-safe. */
final class RunRows {
  /** What {@link #run} reads, in this order; the metadata follow. */
  static final String COLUMNS =
      """
      run_id, status, agent, task, outcome, checkpoint_id, created_at, updated_at,
             claim_id, owner, lease_expires_at,
             (extract(epoch FROM lease_expires_at - now()) * 1000000)::bigint,
      """;

  /** The position of the metadata, which a list may leave out. */
  static final int METADATA = 13;

  private static final String FIND =
      "SELECT "
          + COLUMNS
          + """
                   metadata
              FROM runs
             WHERE namespace = ? AND run_id = ?
            """;

  private static final String LOCK = FIND + " FOR NO KEY UPDATE";

  private static final String CREATE =
      """
      INSERT INTO runs (namespace, run_id, status)
      VALUES (?, ?, 'UNOPENED')
      ON CONFLICT (namespace, run_id) DO NOTHING
      """;

  private static final String OPEN =
      """
      UPDATE runs
         SET status = 'RUNNING', agent = ?, task = ?, metadata = ?, checkpoint_id = ?,
             created_at = now(), updated_at = now()
       WHERE namespace = ? AND run_id = ?
      """;

  private static final String REOPEN =
      """
      UPDATE runs
         SET status = 'RUNNING', outcome = NULL, checkpoint_id = coalesce(?, checkpoint_id),
             updated_at = now()
       WHERE namespace = ? AND run_id = ?
      """;

  private static final String SET_CHECKPOINT =
      """
      UPDATE runs
         SET checkpoint_id = ?, updated_at = now()
       WHERE namespace = ? AND run_id = ?
      """;

  private static final String CLOSE =
      """
      UPDATE runs
         SET status = ?, outcome = ?, lease_expires_at = NULL, updated_at = now()
       WHERE namespace = ? AND run_id = ?
      """;

  private static final String USE_CLAIM_ID =
      """
      INSERT INTO run_claims (namespace, run_id, claim_id, owner)
      VALUES (?, ?, ?, ?)
      ON CONFLICT (namespace, run_id, claim_id) DO NOTHING
      """;

  private static final String CLAIM =
      """
      UPDATE runs
         SET claim_id = ?, owner = ?, lease_expires_at = now() + ? * interval '1 microsecond',
             updated_at = now()
       WHERE namespace = ? AND run_id = ?
      """;

  private static final String RENEW =
      """
      UPDATE runs
         SET lease_expires_at = greatest(lease_expires_at, now() + ? * interval '1 microsecond')
       WHERE namespace = ? AND run_id = ? AND claim_id = ? AND lease_expires_at IS NOT NULL
         AND status = 'RUNNING'
      """;

  private static final String DELETE_EVENTS =
      "DELETE FROM run_events WHERE namespace = ? AND run_id = ?";

  private static final String DELETE_CLAIMS =
      "DELETE FROM run_claims WHERE namespace = ? AND run_id = ?";

  private static final String DELETE = "DELETE FROM runs WHERE namespace = ? AND run_id = ?";

  /** Also one that is not opened; null: there is no row. */
  @Nullable Run find(Connection connection, RunId id) throws SQLException {
    return select(connection, FIND, id);
  }

  /** As {@link #find}, locked until the end of the transaction. */
  @Nullable Run lock(Connection connection, RunId id) throws SQLException {
    return select(connection, LOCK, id);
  }

  /** As {@link #lock}; a row that is not there is made, not opened. */
  Run lockOrCreate(Connection connection, RunId id) throws SQLException {
    Run run = lock(connection, id);
    while (run == null) {
      // A deletion that ends between the two statements leaves nothing to lock: so again.
      execute(connection, CREATE, id.namespace().name(), id.id());
      run = lock(connection, id);
    }
    return run;
  }

  void open(Connection connection, RunOpening opening) throws SQLException {
    RunId id = opening.id();
    execute(
        connection,
        OPEN,
        opening.agent(),
        opening.task(),
        opening.metadata().toByteArray(),
        opening.checkpointId(),
        id.namespace().name(),
        id.id());
  }

  /** Keeps everything but the status, the outcome and, if there is a new one, the checkpoint. */
  void reopen(Connection connection, RunId id, @Nullable String checkpointId) throws SQLException {
    execute(connection, REOPEN, checkpointId, id.namespace().name(), id.id());
  }

  void setCheckpoint(Connection connection, RunId id, String checkpointId) throws SQLException {
    execute(connection, SET_CHECKPOINT, checkpointId, id.namespace().name(), id.id());
  }

  /** Ends the claim as well. */
  void close(Connection connection, RunId id, String outcome) throws SQLException {
    String status = RunStatus.ofOutcome(outcome).name();
    execute(connection, CLOSE, status, outcome, id.namespace().name(), id.id());
  }

  /** False: the claim id was used on this run before; nothing is changed then. */
  boolean claim(Connection connection, RunId id, NewClaim claim) throws SQLException {
    String namespace = id.namespace().name();
    if (execute(connection, USE_CLAIM_ID, namespace, id.id(), claim.claimId(), claim.owner())
        == 0) {
      return false;
    }
    execute(
        connection,
        CLAIM,
        claim.claimId(),
        claim.owner(),
        micros(claim.lease()),
        namespace,
        id.id());
    return true;
  }

  /** Without a lock of its own. False: the claim is not the run's, or the run is not running. */
  boolean renew(Connection connection, RunId id, String claimId, Duration lease)
      throws SQLException {
    return execute(connection, RENEW, micros(lease), id.namespace().name(), id.id(), claimId) == 1;
  }

  /** The run is locked. */
  void delete(Connection connection, RunId id) throws SQLException {
    execute(connection, DELETE_EVENTS, id.namespace().name(), id.id());
    execute(connection, DELETE_CLAIMS, id.namespace().name(), id.id());
    execute(connection, DELETE, id.namespace().name(), id.id());
  }

  static Run run(RunId id, ResultSet row) throws SQLException {
    return new Run(
        id,
        RunStatus.valueOf(row.getString(2)),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        UnsafeByteOperations.unsafeWrap(row.getBytes(METADATA)),
        row.getObject(7, OffsetDateTime.class).toInstant(),
        row.getObject(8, OffsetDateTime.class).toInstant(),
        fence(id, row, 9));
  }

  /** From the columns of {@link #COLUMNS} that begin with claim_id, wherever they stand. */
  static Fence fence(RunId id, ResultSet row, int first) throws SQLException {
    String claimId = row.getString(first);
    OffsetDateTime expiresAt = row.getObject(first + 2, OffsetDateTime.class);
    if (expiresAt == null) {
      return new Fence(id, claimId, null);
    }
    Duration remaining = Duration.of(row.getLong(first + 3), ChronoUnit.MICROS);
    return new Fence(
        id,
        claimId,
        new Claim(claimId, row.getString(first + 1), expiresAt.toInstant(), remaining));
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration);
  }

  private static @Nullable Run select(Connection connection, String statementText, RunId id)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? run(id, row) : null;
      }
    }
  }

  private static int execute(
      Connection connection, String statementText, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      return statement.executeUpdate();
    }
  }
}
