package io.agentjournal.segment;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** A row of streams as a record. */
final class StreamColumns {
  /** What {@link #read} wants of a row. */
  static final String NAMES =
      Head.COLUMNS + ", stream_key, turn_id, content_type, opened_at, last_segment_at, ended_at";

  private StreamColumns() {}

  static StoredStream read(ResultSet row) throws SQLException {
    return new StoredStream(
        Head.from(row),
        row.getString("stream_key"),
        row.getString("turn_id"),
        row.getString("content_type"),
        row.getObject("opened_at", OffsetDateTime.class).toInstant(),
        instant(row, "last_segment_at"),
        instant(row, "ended_at"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
