package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renews leases, each by a statement of its own, and reads what became of them. Thread-safe. */
final class LeaseStore {
  /** Rows that one transaction keeps locked. */
  private static final int RENEWALS_PER_TRANSACTION = 100;

  private static final String RENEW =
      """
      UPDATE submissions
         SET lease_ms = ?,
             lease_expires_at = GREATEST(lease_expires_at,
                                         LEAST(now() + ? * interval '1 millisecond', deadline_at))
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING' AND attempt_id = ?
         AND deadline_at > now()
         AND (abort_requested_at IS NULL OR abort_requested_at > now() - ? * interval '1 millisecond')
      """;

  private static final String READ =
      "SELECT "
          + SubmissionRows.STANDING
          + """
            , submission_id, abort_reason, lease_expires_at, lease_expires_at <= now() AS lease_is_expired,
              EXTRACT(EPOCH FROM lease_expires_at - clock_timestamp()) AS lease_seconds,
              deadline_at > now()
              AND (abort_requested_at IS NULL OR abort_requested_at > now() - ? * interval '1 millisecond')
                AS is_renewable
             FROM submissions
            WHERE namespace = ? AND submission_id = ANY (?)
          """;

  private final Transactions transactions;
  private final Duration abortGrace;

  /**
   * Renews nothing yet.
   *
   * @param abortGrace how long after an abort request leases are renewed
   */
  LeaseStore(Transactions transactions, Duration abortGrace) {
    this.transactions = transactions;
    this.abortGrace = abortGrace;
  }

  /** Answers in the order of the attempts, which are of one namespace. */
  List<LeaseState> renew(Namespace namespace, List<AttemptId> attempts, Duration duration) {
    List<AttemptId> inLockOrder = new ArrayList<>(attempts);
    inLockOrder.sort(Comparator.comparing(attempt -> attempt.submission().id()));
    for (int start = 0; start < inLockOrder.size(); start += RENEWALS_PER_TRANSACTION) {
      int end = Math.min(inLockOrder.size(), start + RENEWALS_PER_TRANSACTION);
      List<AttemptId> slice = inLockOrder.subList(start, end);
      transactions.run("renew_leases", connection -> renew(connection, slice, duration));
    }
    return read(namespace, attempts);
  }

  /** As they are now, in the order of the attempts, which are of one namespace. */
  List<LeaseState> read(Namespace namespace, List<AttemptId> attempts) {
    return transactions.readOnly(
        "read_leases", connection -> read(connection, namespace, attempts));
  }

  private int renew(Connection connection, List<AttemptId> attempts, Duration duration)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
      for (AttemptId attempt : attempts) {
        statement.setLong(1, duration.toMillis());
        statement.setLong(2, duration.toMillis());
        statement.setString(3, attempt.namespace().name());
        statement.setString(4, attempt.submission().id());
        statement.setString(5, attempt.id());
        statement.setLong(6, abortGrace.toMillis());
        statement.addBatch();
      }
      return statement.executeBatch().length;
    }
  }

  private List<LeaseState> read(
      Connection connection, Namespace namespace, List<AttemptId> attempts) throws SQLException {
    Object[] ids = attempts.stream().map(attempt -> attempt.submission().id()).toArray();
    Map<String, LeaseRow> rows = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(READ)) {
      statement.setLong(1, abortGrace.toMillis());
      statement.setString(2, namespace.name());
      statement.setArray(3, connection.createArrayOf("text", ids));
      long readAtNanos = System.nanoTime();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          SubmissionId id = new SubmissionId(namespace, row.getString("submission_id"));
          rows.put(id.id(), leaseRow(row, id, readAtNanos));
        }
      }
    }
    return attempts.stream().map(attempt -> state(attempt, rows)).toList();
  }

  private record LeaseRow(
      Standing standing,
      @Nullable Lease lease,
      boolean isRenewable,
      @Nullable String abortReason) {}

  private static LeaseRow leaseRow(ResultSet row, SubmissionId id, long readAtNanos)
      throws SQLException {
    return new LeaseRow(
        SubmissionRows.standing(row, id),
        SubmissionColumns.lease(row, readAtNanos),
        row.getBoolean("is_renewable"),
        row.getString("abort_reason"));
  }

  private static LeaseState state(AttemptId attempt, Map<String, LeaseRow> rows) {
    LeaseRow row = rows.get(attempt.submission().id());
    if (row == null) {
      return LeaseState.notFound(attempt);
    }
    Refusal refusal = row.standing.refusalOf(attempt);
    if (refusal != null) {
      LeaseState.State state =
          row.standing.outcome() == null ? LeaseState.State.LOST : LeaseState.State.SETTLED;
      return new LeaseState(attempt, state, null, refusal, row.abortReason);
    }
    LeaseState.State state = row.isRenewable ? LeaseState.State.RENEWED : LeaseState.State.REFUSED;
    return new LeaseState(attempt, state, row.lease, null, row.abortReason);
  }
}
