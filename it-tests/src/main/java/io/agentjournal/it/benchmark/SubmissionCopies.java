package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Submissions by the thousand, each in a session of its own: one goes through the server, the
 * others are copies of its rows with names of their own.
 */
final class SubmissionCopies {
  private static final long LEASE_SECONDS = 3600;

  private static final String COLUMNS =
      """
      SELECT table_name, column_name, data_type = 'text'
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_identity = 'NO' AND is_generated = 'NEVER'
         AND table_name NOT LIKE 'flyway%'
       ORDER BY table_name, ordinal_position
      """;

  /** The copies keep to the foreign keys, as the first one does. */
  private static final String WITHOUT_TRIGGERS = "SET session_replication_role = replica";

  private final JdbcAccess tables;

  /** In all names of the first one, which no name of anybody else has. */
  private final String mark = "copied" + UUID.randomUUID().toString().replace("-", "");

  private SubmissionCopies(JdbcAccess tables) {
    this.tables = tables;
  }

  /** Claimed for an hour. */
  static SubmissionCopies running(Journal journal) {
    SubmissionCopies copies = new SubmissionCopies(journal.tables());
    copies.admitAndClaim(SubmissionServiceGrpc.newBlockingStub(journal.connections().of(0)));
    return copies;
  }

  static SubmissionCopies settled(Journal journal) {
    SubmissionCopies copies = new SubmissionCopies(journal.tables());
    SubmissionServiceBlockingStub submissions =
        SubmissionServiceGrpc.newBlockingStub(journal.connections().of(0));
    copies.admitAndClaim(submissions);
    var unused =
        submissions.settleSubmission(
            SettleSubmissionRequest.newBuilder()
                .setAttempt(copies.attempt(copies.mark))
                .setSettlement(
                    Settlement.newBuilder()
                        .setOutcome(Outcome.OUTCOME_COMPLETED)
                        .setResult(Payload.newBuilder().setText(SegmentLoad.TOKEN)))
                .build());
    return copies;
  }

  private void admitAndClaim(SubmissionServiceBlockingStub submissions) {
    var admitted =
        submissions.admitSubmission(
            AdmitSubmissionRequest.newBuilder()
                .setSubmissionId(mark)
                .setSessionKey(mark)
                .setInput(Payload.newBuilder().setText(SegmentLoad.TOKEN))
                .build());
    var claimed =
        submissions.claimSubmission(
            ClaimSubmissionRequest.newBuilder()
                .setAttempt(attempt(admitted.getSubmission().getSubmissionId()))
                .setLease(
                    LeaseRequest.newBuilder()
                        .setOwner("benchmark")
                        .setDuration(
                            com.google.protobuf.Duration.newBuilder().setSeconds(LEASE_SECONDS)))
                .build());
    if (!claimed.getApplied()) {
      throw new IllegalStateException("it belongs to somebody else");
    }
  }

  /** What all names of a copy begin with. */
  String name(long number) {
    return mark + "-" + number;
  }

  AttemptRef attempt(long number) {
    return attempt(name(number));
  }

  private AttemptRef attempt(String submissionId) {
    return AttemptRef.newBuilder()
        .setSubmissionId(submissionId)
        .setAttemptId(submissionId + "a")
        .build();
  }

  String mark() {
    return mark;
  }

  /** Makes those with the numbers [first, end). Blocks. */
  void make(long first, long end) throws SQLException {
    try (Connection connection = tables.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(WITHOUT_TRIGGERS);
      connection.setAutoCommit(false);
      for (String copy : statements(connection)) {
        try (PreparedStatement copying = connection.prepareStatement(copy)) {
          copying.setLong(1, first);
          copying.setLong(2, end - 1);
          copying.executeUpdate();
        }
      }
      connection.commit();
    }
  }

  private List<String> statements(Connection connection) throws SQLException {
    Map<String, Map<String, Boolean>> columns = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        columns
            .computeIfAbsent(row.getString(1), unused -> new LinkedHashMap<>())
            .put(row.getString(2), row.getBoolean(3));
      }
    }
    List<String> statements = new ArrayList<>();
    columns.forEach(
        (table, ofTable) -> {
          if (ofTable.containsValue(true)) {
            statements.add(statement(table, ofTable));
          }
        });
    return statements;
  }

  private String statement(String table, Map<String, Boolean> columns) {
    String values =
        columns.entrySet().stream()
            .map(
                column ->
                    column.getValue()
                        ? "replace(%s, '%s', '%s-' || number)"
                            .formatted(column.getKey(), mark, mark)
                        : column.getKey())
            .collect(Collectors.joining(", "));
    String isFirst =
        columns.entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(column -> "%1$s IN ('%2$s', '%2$sa')".formatted(column.getKey(), mark))
            .collect(Collectors.joining(" OR "));
    return "INSERT INTO %s (%s) SELECT %s FROM (SELECT * FROM %s WHERE %s) AS first, generate_series(?, ?) AS number"
        .formatted(table, String.join(", ", columns.keySet()), values, table, isFirst);
  }
}
