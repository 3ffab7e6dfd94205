package io.agentjournal.submission;

import io.agentjournal.submission.SubmissionSelection.Filter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements that list submissions: what each filter wants of a row, times three ways to walk
 * over the rows in order, each along an index. All of them take the same parameters.
 */
final class SubmissionListRows {
  private static final String SELECT =
      "SELECT "
          + SubmissionColumns.ALL
          + """
              FROM submissions s
             WHERE namespace = ?
               AND (CAST(? AS text) IS NULL OR queue = ?)
               AND (CAST(? AS text) IS NULL OR owner = ?)
          """;

  private static final String UNSETTLED = " AND status <> 'SETTLED'";

  private static final String RUNNING = UNSETTLED + " AND status = 'RUNNING'";

  private static final Map<Filter, String> FILTERS =
      new EnumMap<>(
          Map.of(
              Filter.ALL,
              "",
              Filter.UNSETTLED,
              UNSETTLED,
              Filter.RUNNING,
              RUNNING,
              Filter.EXPIRED,
              RUNNING + " AND lease_expires_at <= now()",
              Filter.RUNNABLE,
              UNSETTLED
                  + """
                     AND (runnable_at <= now()
                          OR (status = 'RUNNING' AND COALESCE(recovery_not_before, lease_expires_at) <= now()))
                    """,
              // Segments move too: whoever calls looks at the stream of those that are left.
              Filter.STUCK,
              RUNNING
                  + """
                     AND GREATEST(started_at, input_applied_at,
                           (SELECT max(a.started_at) FROM attempts a
                             WHERE a.namespace = s.namespace AND a.submission_id = s.submission_id),
                           (SELECT j.updated_at FROM turn_journals j
                             WHERE j.namespace = s.namespace AND j.submission_id = s.submission_id),
                           (SELECT max(GREATEST(t.started_at, t.ended_at)) FROM tool_calls t
                             WHERE t.namespace = s.namespace AND t.submission_id = s.submission_id))
                         <= now() - CAST(? AS bigint) * interval '1 millisecond'
                    """));

  private static final String BY_ID = " AND submission_id > ? ORDER BY submission_id LIMIT ?";

  private static final String OF_OWNER =
      " AND status = 'RUNNING' AND owner = ? AND submission_id > ? ORDER BY submission_id LIMIT ?";

  private static final String OF_SESSION =
      " AND session_key = ? AND sequence > ? ORDER BY sequence LIMIT ?";

  /** The page's statement with its parameters; the caller closes it. */
  static PreparedStatement prepare(
      Connection connection, SubmissionSelection selection, @Nullable String after, int size)
      throws SQLException {
    boolean isOfOwner = selection.sessionKey() == null && selection.owner() != null;
    String walk = selection.sessionKey() != null ? OF_SESSION : isOfOwner ? OF_OWNER : BY_ID;
    PreparedStatement statement =
        connection.prepareStatement(SELECT + FILTERS.get(selection.filter()) + walk);
    int next = 1;
    statement.setString(next++, selection.namespace().name());
    statement.setString(next++, selection.queue());
    statement.setString(next++, selection.queue());
    statement.setString(next++, selection.owner());
    statement.setString(next++, selection.owner());
    if (selection.filter() == Filter.STUCK) {
      statement.setLong(next++, selection.stillFor().toMillis());
    }
    if (selection.sessionKey() != null) {
      statement.setString(next++, selection.sessionKey());
      statement.setLong(next++, after == null ? 0 : Long.parseLong(after));
    } else {
      if (isOfOwner) {
        statement.setString(next++, selection.owner());
      }
      statement.setString(next++, after == null ? "" : after);
    }
    statement.setInt(next, size);
    return statement;
  }

  private SubmissionListRows() {}
}
