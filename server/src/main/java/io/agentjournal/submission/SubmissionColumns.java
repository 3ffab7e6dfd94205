package io.agentjournal.submission;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import io.agentjournal.payload.StoredPayload;
import io.agentjournal.submission.Submission.AbortRequest;
import io.agentjournal.submission.Submission.Budget;
import io.agentjournal.submission.Submission.RecoveryRequest;
import io.agentjournal.submission.Submission.Settled;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a row of submissions is read whole. */
final class SubmissionColumns {
  /**
   * Large inputs and results stay in the table. What is over, and what is left of a lease, is
   * measured here and now: the transaction may have begun long before it got the lock, and what
   * another wrote meanwhile would lie in its future.
   */
  static final String ALL =
      """
      namespace, submission_id, session_key, sequence, kind, queue, status, admitted_at, input_applied_at, not_before,
      COALESCE(runnable_at <= clock_timestamp(), false) AS is_runnable,
      traceparent, has_waits, attempt_count, max_attempts, timeout_ms, started_at, deadline_at,
      COALESCE(deadline_at <= COALESCE(waiting_since, clock_timestamp()), false) AS time_is_spent,
      attempt_id, owner, lease_expires_at, COALESCE(lease_expires_at <= clock_timestamp(), false) AS lease_is_expired,
      EXTRACT(EPOCH FROM lease_expires_at - clock_timestamp()) AS lease_seconds,
      recovery_requested_at, recovery_not_before, recovery_reason, recovery_is_counted,
      COALESCE(recovery_not_before <= clock_timestamp(), false) AS recovery_is_due,
      abort_requested_at, abort_reason,
      outcome, failure_code, failure_message, settled_by_attempt_id, settled_at, unresolved_tool_call_ids,
      input_case, octet_length(input) AS input_size,
      CASE WHEN octet_length(input) <= 1048576 THEN input END AS input,
      result_case, octet_length(result) AS result_size,
      CASE WHEN octet_length(result) <= 1048576 THEN result END AS result\
      """;

  private SubmissionColumns() {}

  /**
   * The row as a submission, without its waits.
   *
   * @param readAtNanos taken right before the statement was sent
   */
  static Submission submission(ResultSet row, long readAtNanos) throws SQLException {
    Namespace namespace = new Namespace(row.getString("namespace"));
    return new Submission(
        new SubmissionId(namespace, row.getString("submission_id")),
        new SessionKey(namespace, row.getString("session_key")),
        SubmissionKind.valueOf(row.getString("kind")),
        row.getString("queue"),
        SubmissionStatus.valueOf(row.getString("status")),
        row.getLong("sequence"),
        payload(row, "input_case", "input", "input_size"),
        budget(row),
        lease(row, readAtNanos),
        Columns.instant(row, "admitted_at"),
        Columns.instantOrNull(row, "input_applied_at"),
        Columns.instantOrNull(row, "not_before"),
        row.getBoolean("is_runnable"),
        recovery(row),
        abort(row),
        row.getBoolean("has_waits"),
        List.of(),
        settled(row),
        row.getString("traceparent"));
  }

  private static Budget budget(ResultSet row) throws SQLException {
    return new Budget(
        row.getInt("attempt_count"),
        row.getInt("max_attempts"),
        Duration.ofMillis(row.getLong("timeout_ms")),
        Columns.instantOrNull(row, "started_at"),
        Columns.instantOrNull(row, "deadline_at"),
        row.getBoolean("time_is_spent"));
  }

  /** Of the columns from attempt_id to lease_seconds. */
  static @Nullable Lease lease(ResultSet row, long readAtNanos) throws SQLException {
    String attemptId = row.getString("attempt_id");
    if (attemptId == null) {
      return null;
    }
    long remainingMicros = Math.round(row.getDouble("lease_seconds") * 1_000_000);
    return new Lease(
        attemptId,
        row.getString("owner"),
        Columns.instant(row, "lease_expires_at"),
        row.getBoolean("lease_is_expired"),
        Duration.ofNanos(remainingMicros * 1_000),
        readAtNanos);
  }

  private static @Nullable RecoveryRequest recovery(ResultSet row) throws SQLException {
    Instant requestedAt = Columns.instantOrNull(row, "recovery_requested_at");
    return requestedAt == null
        ? null
        : new RecoveryRequest(
            requestedAt,
            Columns.instant(row, "recovery_not_before"),
            row.getBoolean("recovery_is_due"),
            row.getBoolean("recovery_is_counted"),
            row.getString("recovery_reason"));
  }

  private static @Nullable AbortRequest abort(ResultSet row) throws SQLException {
    Instant requestedAt = Columns.instantOrNull(row, "abort_requested_at");
    return requestedAt == null
        ? null
        : new AbortRequest(requestedAt, row.getString("abort_reason"));
  }

  private static @Nullable Settled settled(ResultSet row) throws SQLException {
    String outcome = row.getString("outcome");
    return outcome == null
        ? null
        : new Settled(
            Outcome.valueOf(outcome),
            payload(row, "result_case", "result", "result_size"),
            row.getString("failure_code"),
            row.getString("failure_message"),
            row.getString("settled_by_attempt_id"),
            Columns.instant(row, "settled_at"),
            texts(row.getArray("unresolved_tool_call_ids")));
  }

  private static StoredPayload payload(ResultSet row, String kind, String bytes, String size)
      throws SQLException {
    byte[] inline = row.getBytes(bytes);
    long sizeBytes = row.getLong(size);
    return inline == null
        ? new StoredPayload(null, sizeBytes)
        : new StoredPayload(
            new Payload(
                PayloadCase.ofCode(row.getInt(kind)), UnsafeByteOperations.unsafeWrap(inline)),
            sizeBytes);
  }

  private static List<String> texts(@Nullable Array array) throws SQLException {
    return array == null ? List.of() : List.of((String[]) array.getArray());
  }
}
