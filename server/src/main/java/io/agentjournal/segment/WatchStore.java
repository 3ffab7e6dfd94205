package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The batched look-ups of {@link StreamWatch}. Every method blocks. */
final class WatchStore {
  /** A row of stream_notices. */
  record Notice(long noticeId, long streamId) {}

  /** A transaction's notices carry the time of its start: those that commit late lie back. */
  static final String NOTICES =
      """
      SELECT notice_id, stream_id
        FROM stream_notices
       WHERE noticed_at >= now() - make_interval(secs => ?)
      """;

  static final String FORGET_NOTICES =
      "DELETE FROM stream_notices WHERE noticed_at < now() - interval '60 s'";

  static final String HEADS =
      "SELECT "
          + Head.COLUMNS
          + """
             FROM streams
            WHERE stream_id = ANY (?)
          """;

  /**
   * With the next few extents while they are small, so that followers of tokens that are written
   * elsewhere need not ask for them one by one. One row for each extent, or one without.
   */
  static final String MOVED =
      "SELECT "
          + Head.COLUMNS.replace("stream_id", "streams.stream_id")
          + """
             , fresh.first_index, fresh.segment_count, fresh.checksum, fresh.data
             FROM unnest(?::bigint[], ?::bigint[]) AS told (told_id, told_next_index)
             JOIN streams ON streams.stream_id = told_id
             LEFT JOIN LATERAL (SELECT first_index, segment_count, checksum, data
                                  FROM extents
                                 WHERE extents.bucket = streams.bucket
                                   AND extents.stream_id = streams.stream_id
                                   AND first_index >= told_next_index
                                   AND told_next_index >= 0
                                   AND format = 1
                                   AND octet_length(data) <= 2048
                                 ORDER BY first_index
                                 LIMIT 8) AS fresh ON true
            WHERE next_index > told_next_index OR state <> 'OPEN'
            ORDER BY streams.stream_id, fresh.first_index
          """;

  static final String HEADS_BY_KEY =
      "SELECT "
          + Head.COLUMNS
          + """
             , place
             FROM unnest(?::int[], ?::text[], ?::text[])
                  WITH ORDINALITY AS awaited (in_bucket, in_namespace, of_key, place)
             JOIN streams ON bucket = in_bucket AND namespace = in_namespace AND stream_key = of_key
          """;

  private final Transactions transactions;

  WatchStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Of transactions that began within the window. */
  List<Notice> notices(Duration window) {
    return transactions.readOnly(
        "read stream notices",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(NOTICES)) {
            statement.setDouble(1, window.toMillis() / 1_000.0);
            try (ResultSet row = statement.executeQuery()) {
              List<Notice> notices = new ArrayList<>();
              while (row.next()) {
                notices.add(new Notice(row.getLong(1), row.getLong(2)));
              }
              return notices;
            }
          }
        });
  }

  /** Those of the streams that exist. */
  List<Head> heads(Collection<Long> streamIds) {
    return transactions.readOnly(
        "look at heads",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(HEADS)) {
            statement.setObject(1, streamIds.stream().mapToLong(Long::longValue).toArray());
            return heads(statement);
          }
        });
  }

  /** Those of the streams that are further than their followers were told, or have ended. */
  List<StreamChange> moved(List<FollowedStream> streams) {
    return transactions.readOnly(
        "look at followed streams",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(MOVED)) {
            statement.setObject(1, streams.stream().mapToLong(FollowedStream::streamId).toArray());
            statement.setObject(
                2, streams.stream().mapToLong(FollowedStream::toldNextIndex).toArray());
            try (ResultSet row = statement.executeQuery()) {
              return changes(row);
            }
          }
        });
  }

  private static List<StreamChange> changes(ResultSet row) throws SQLException {
    List<StreamChange> changes = new ArrayList<>();
    Head head = null;
    List<Extent> extents = List.of();
    while (row.next()) {
      long streamId = row.getLong(1);
      if (head == null || head.streamId() != streamId) {
        head = Head.from(row);
        extents = new ArrayList<>();
        changes.add(new StreamChange(head, extents));
      }
      byte[] data = row.getBytes("data");
      if (data != null) {
        Extent extent =
            new Extent(streamId, row.getLong("first_index"), row.getInt("segment_count"), data);
        // One that is not sound is left for the followers to find.
        if (extent.checksum() == row.getInt("checksum")) {
          extents.add(extent);
        }
      }
    }
    return changes;
  }

  /** Those of the keys that name a stream. */
  Map<StreamKey, Head> heads(List<StreamKey> keys) {
    return transactions.readOnly(
        "look for awaited streams",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(HEADS_BY_KEY)) {
            statement.setObject(1, keys.stream().mapToInt(StreamKey::bucket).toArray());
            statement.setObject(
                2, keys.stream().map(key -> key.namespace().name()).toArray(String[]::new));
            statement.setObject(3, keys.stream().map(StreamKey::key).toArray(String[]::new));
            try (ResultSet row = statement.executeQuery()) {
              Map<StreamKey, Head> found = new HashMap<>();
              while (row.next()) {
                found.put(keys.get((int) row.getLong("place") - 1), Head.from(row));
              }
              return found;
            }
          }
        });
  }

  /** Removes what every server has seen long ago. Any server may do it at any time. */
  void forgetNotices() {
    transactions.run(
        "forget stream notices",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(FORGET_NOTICES)) {
            return statement.executeUpdate();
          }
        });
  }

  private static List<Head> heads(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<Head> heads = new ArrayList<>();
      while (row.next()) {
        heads.add(Head.from(row));
      }
      return heads;
    }
  }
}
