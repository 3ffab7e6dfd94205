package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds submissions whose holders should give up, among many. Thread-safe. */
final class AlarmStore {
  /** Nothing is sent of rows that are as their holders hope. */
  private static final String FIND =
      """
      SELECT submission_id, attempt_id, status = 'RUNNING' AND abort_requested_at IS NULL AS is_undisturbed
        FROM submissions
       WHERE namespace = ? AND submission_id = ANY (?)
         AND (status <> 'RUNNING' OR abort_requested_at IS NOT NULL
              OR NOT (submission_id || chr(10) || attempt_id = ANY (?)))
      """;

  private final Transactions transactions;

  AlarmStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * A submission of which somebody may have to hear.
   *
   * @param undisturbedAttemptId the attempt that holds it and may go on; null: none
   */
  record Alarm(String submissionId, @Nullable String undisturbedAttemptId) {}

  /**
   * Those of the submissions that do not run, whose abort is requested, or that none of the
   * attempts holds.
   *
   * @param held attempts on these submissions; for a submission without any, it is told who holds
   *     it
   */
  List<Alarm> find(Namespace namespace, List<String> submissionIds, List<AttemptId> held) {
    return transactions.readOnly(
        "find_alarms", connection -> find(connection, namespace, submissionIds, held));
  }

  private static List<Alarm> find(
      Connection connection, Namespace namespace, List<String> submissionIds, List<AttemptId> held)
      throws SQLException {
    // Ids have no line feed, so that two of them make one text that no other two make.
    Object[] pairs =
        held.stream().map(attempt -> attempt.submission().id() + "\n" + attempt.id()).toArray();
    List<Alarm> alarms = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, namespace.name());
      statement.setArray(2, connection.createArrayOf("text", submissionIds.toArray()));
      statement.setArray(3, connection.createArrayOf("text", pairs));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          alarms.add(
              new Alarm(
                  row.getString("submission_id"),
                  row.getBoolean("is_undisturbed") ? row.getString("attempt_id") : null));
        }
      }
    }
    return alarms;
  }
}
