package io.agentjournal.it.benchmark;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A statement as PostgreSQL has logged it, which may be carried out again with other names.
 *
 * @param sql as JDBC takes it
 * @param parameters in text form; NULL: null
 */
record RecordedStatement(String sql, List<@Nullable String> parameters) {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\d+");

  private static final Pattern PARAMETER =
      Pattern.compile("\\$\\d+ = (?:NULL|'((?:[^']++|'')*+)')");

  private static final String STREAM_ID = "stream_id";

  /**
   * @param logged with numbered parameters
   */
  static RecordedStatement of(String logged) {
    return new RecordedStatement(PLACEHOLDER.matcher(logged).replaceAll("?"), List.of());
  }

  /**
   * @param detail the line of the log that follows
   */
  RecordedStatement withParameters(String detail) {
    List<@Nullable String> values = new ArrayList<>();
    for (Matcher matcher = PARAMETER.matcher(detail); matcher.find(); ) {
      String value = matcher.group(1);
      values.add(value == null ? null : value.replace("''", "'"));
    }
    return new RecordedStatement(sql, values);
  }

  boolean mentions(String name, String streamId) {
    return parameters.stream()
        .anyMatch(value -> value != null && (value.contains(name) || isId(value, streamId)));
  }

  private static boolean isId(String value, String streamId) {
    return value.equals(streamId) || value.equals("{" + streamId + "}");
  }

  /**
   * With the names of somebody else. Returns the id of the stream that it answered, or {@code id}.
   */
  String run(PreparedStatement statement, Names names, String id) throws SQLException {
    int position = 1;
    for (String value : parameters) {
      if (value == null) {
        statement.setNull(position++, Types.OTHER);
      } else {
        String own =
            isId(value, names.recordedId())
                ? value.replace(names.recordedId(), id)
                : value.replace(names.recorded(), names.own());
        // As text whose type PostgreSQL finds out.
        statement.setObject(position++, own, Types.OTHER);
      }
    }
    String found = id;
    if (statement.execute()) {
      try (ResultSet row = statement.getResultSet()) {
        int column = streamIdColumn(row.getMetaData());
        while (row.next()) {
          if (column > 0) {
            found = row.getString(column);
          }
        }
      }
    }
    return found;
  }

  private static int streamIdColumn(ResultSetMetaData columns) throws SQLException {
    for (int column = 1; column <= columns.getColumnCount(); column++) {
      if (columns.getColumnLabel(column).equals(STREAM_ID)) {
        return column;
      }
    }
    return 0;
  }

  /**
   * What is replaced.
   *
   * @param recorded what the recorded names begin with
   * @param recordedId of the recorded stream
   * @param own what takes the place of {@code recorded}
   */
  record Names(String recorded, String recordedId, String own) {}
}
