package io.agentjournal.segment;

import io.agentjournal.database.Columns;
import io.agentjournal.key.StreamKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at stretches of streams, of one or of many at once, inside a caller's transaction.
 * Stateless and thread-safe.
 */
public final class StretchRows {
  /**
   * With the next few extents while they are small, so that tokens need not be asked for one stream
   * after the other. One row for each extent, or one without.
   */
  static final String MOVED =
      "SELECT "
          + Head.COLUMNS.replace("stream_id", "streams.stream_id")
          + """
             , streams.ended_at, told.place, fresh.first_index, fresh.segment_count, fresh.checksum, fresh.data
             FROM unnest(?::int[], ?::text[], ?::text[], ?::bigint[])
                  WITH ORDINALITY AS told (in_bucket, in_namespace, of_key, told_index, place)
             JOIN streams ON streams.bucket = told.in_bucket
                         AND streams.namespace = told.in_namespace
                         AND streams.stream_key = told.of_key
             LEFT JOIN LATERAL (SELECT first_index, segment_count, checksum, data
                                  FROM extents
                                 WHERE extents.bucket = streams.bucket
                                   AND extents.stream_id = streams.stream_id
                                   AND first_index >= told_index
                                   AND format = 1
                                   AND octet_length(data) <= 2048
                                 ORDER BY first_index
                                 LIMIT 8) AS fresh ON true
            WHERE next_index > told_index OR state <> 'OPEN'
            ORDER BY told.place, fresh.first_index
          """;

  private final StreamRows streams = new StreamRows();

  /** Where somebody stands in a stream. */
  public record Place(StreamKey key, long nextIndex) {}

  /**
   * The stream with its segments from the place on, up to about {@link PageStore#PAGE_BYTES}. One
   * whose row has gone is DELETED.
   */
  public StreamStretch find(Connection connection, Place place) throws SQLException {
    StreamStretch head = head(connection, place.key());
    List<Extent> extents =
        PageStore.extents(connection, place.key(), head.head(), place.nextIndex());
    return new StreamStretch(place.key(), head.head(), head.endedAt(), extents);
  }

  /** As {@link #find}, without segments. */
  public StreamStretch head(Connection connection, StreamKey key) throws SQLException {
    StoredStream stream = streams.find(connection, key);
    return stream == null
        ? new StreamStretch(key, Head.gone(0), null, List.of())
        : new StreamStretch(key, stream.head(), stream.endedAt(), List.of());
  }

  /** Of those streams that are further than the places, or have ended; by the place's number. */
  public Map<Integer, StreamStretch> moved(Connection connection, List<Place> places)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MOVED)) {
      statement.setObject(1, places.stream().mapToInt(place -> place.key().bucket()).toArray());
      statement.setObject(
          2, places.stream().map(place -> place.key().namespace().name()).toArray(String[]::new));
      statement.setObject(
          3, places.stream().map(place -> place.key().key()).toArray(String[]::new));
      statement.setObject(4, places.stream().mapToLong(Place::nextIndex).toArray());
      try (ResultSet row = statement.executeQuery()) {
        Map<Integer, StreamStretch> moved = new HashMap<>();
        while (row.next()) {
          int number = (int) row.getLong("place") - 1;
          StreamKey key = places.get(number).key();
          moved.merge(number, stretch(row, key), StretchRows::joined);
        }
        return moved;
      }
    }
  }

  private static StreamStretch stretch(ResultSet row, StreamKey key) throws SQLException {
    Head head = Head.from(row);
    Extent extent = extent(row, head.streamId());
    return new StreamStretch(
        key,
        head,
        Columns.instantOrNull(row, "ended_at"),
        extent == null ? List.of() : List.of(extent));
  }

  /** Null: there is none, or it is not sound, which is left for a look at this stream to find. */
  private static @Nullable Extent extent(ResultSet row, long streamId) throws SQLException {
    byte[] data = row.getBytes("data");
    if (data == null) {
      return null;
    }
    Extent extent =
        new Extent(streamId, row.getLong("first_index"), row.getInt("segment_count"), data);
    return extent.checksum() == row.getInt("checksum") ? extent : null;
  }

  private static StreamStretch joined(StreamStretch known, StreamStretch more) {
    List<Extent> extents = new ArrayList<>(known.extents());
    extents.addAll(more.extents());
    return new StreamStretch(known.key(), known.head(), known.endedAt(), extents);
  }
}
