package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds runs by what they are, without locks. Stateless and thread-safe. */
final class RunListRows {
  /** Of one page, before the last row: an answer stays below 4 MiB. */
  private static final int MAX_PAGE_BYTES = 2 << 20;

  /** Metadata are NULL where the page is full: from there on rows belong to the next one. */
  private static final String SELECT_PAGE =
      "SELECT "
          + RunRows.COLUMNS
          + """
                   CASE WHEN coalesce(sum(octet_length(metadata) + 100
                                          + octet_length(concat(run_id, agent, task, outcome,
                                                                checkpoint_id, claim_id, owner)))
                                        OVER earlier, 0) < ?
                        THEN metadata END
              FROM runs
            """;

  private static final String IN_ORDER =
      """
         AND (created_at, run_id) > (?, ?)
      WINDOW earlier AS (ORDER BY created_at, run_id
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
       ORDER BY created_at, run_id
       LIMIT ?
      """;

  static final String LIST =
      SELECT_PAGE
          + """
             WHERE namespace = ? AND status <> 'UNOPENED'
            """
          + IN_ORDER;

  static final String LIST_BY_STATUS =
      SELECT_PAGE
          + """
             WHERE namespace = ? AND status = ?
            """
          + IN_ORDER;

  static final String LIST_INTERRUPTED =
      SELECT_PAGE
          + """
             WHERE namespace = ? AND status = 'RUNNING'
               AND (lease_expires_at IS NULL OR lease_expires_at <= now())
            """
          + IN_ORDER;

  static final String OLDEST_INTERRUPTED =
      """
      SELECT run_id
        FROM runs
       WHERE namespace = ? AND status = 'RUNNING'
         AND (lease_expires_at IS NULL OR lease_expires_at <= now())
         AND run_id <> ALL (?)
       ORDER BY created_at, run_id
       LIMIT ?
      """;

  static final String HELD_BY =
      "SELECT "
          + RunRows.COLUMNS
          + """
                   metadata
              FROM runs
             WHERE namespace = ? AND claim_id = ? AND owner = ? AND status = 'RUNNING'
               AND lease_expires_at IS NOT NULL
             LIMIT 1
            """;

  RunPage page(Connection connection, RunQuery query) throws SQLException {
    RunStatus status = query.status();
    try (PreparedStatement statement = connection.prepareStatement(statementOf(query))) {
      int next = 1;
      statement.setInt(next++, MAX_PAGE_BYTES);
      statement.setString(next++, query.namespace().name());
      if (status != null && !query.onlyInterrupted()) {
        statement.setString(next++, status.name());
      }
      RunQuery.Place after = query.after();
      statement.setObject(next++, after.createdAt().atOffset(ZoneOffset.UTC));
      statement.setString(next++, after.runId());
      statement.setInt(next, query.page().size() + 1);
      try (ResultSet row = statement.executeQuery()) {
        return pageFrom(row, query);
      }
    }
  }

  private static String statementOf(RunQuery query) {
    if (query.onlyInterrupted()) {
      return LIST_INTERRUPTED;
    }
    return query.status() == null ? LIST : LIST_BY_STATUS;
  }

  private static RunPage pageFrom(ResultSet row, RunQuery query) throws SQLException {
    List<Run> runs = new ArrayList<>();
    while (row.next()) {
      if (runs.size() == query.page().size() || row.getBytes(RunRows.METADATA) == null) {
        return new RunPage(runs, true);
      }
      runs.add(RunRows.run(new RunId(query.namespace(), row.getString(1)), row));
    }
    return new RunPage(runs, false);
  }

  List<RunId> oldestInterrupted(
      Connection connection, Namespace namespace, Collection<String> except, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OLDEST_INTERRUPTED)) {
      statement.setString(1, namespace.name());
      statement.setArray(2, connection.createArrayOf("text", except.toArray()));
      statement.setInt(3, limit);
      List<RunId> found = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(new RunId(namespace, row.getString(1)));
        }
      }
      return found;
    }
  }

  /** The run that was given to this claim and is still its; null: none. */
  @Nullable Run heldBy(Connection connection, Namespace namespace, NewClaim claim)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HELD_BY)) {
      statement.setString(1, namespace.name());
      statement.setString(2, claim.claimId());
      statement.setString(3, claim.owner());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? RunRows.run(new RunId(namespace, row.getString(1)), row) : null;
      }
    }
  }
}
