package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What ReadSegments asks the table. Thread-safe; every method blocks. */
final class PageStore {
  /** Bytes of payload after which a page takes no further extent. */
  static final int PAGE_BYTES = 256 << 10;

  private static final int PAGE_EXTENTS = 1_000;

  static final String HEAD =
      "SELECT "
          + Head.COLUMNS
          + """
             FROM streams
            WHERE bucket = ? AND stream_id = ?
          """;

  /** From the extent that covers an index on. Sizes are summed without fetching the payloads. */
  static final String PAGE =
      """
      SELECT first_index, segment_count, format, checksum, data
        FROM (SELECT first_index, segment_count, format, checksum, data,
                     sum(octet_length(data)) OVER (ORDER BY first_index ROWS UNBOUNDED PRECEDING)
                       - octet_length(data) AS bytes_before
                FROM extents
               WHERE bucket = ? AND stream_id = ?
                 AND first_index >= (SELECT coalesce(max(first_index), 0)
                                       FROM extents
                                      WHERE bucket = ? AND stream_id = ? AND first_index <= ?)
                 AND first_index + segment_count > ?
               ORDER BY first_index
               LIMIT ?) AS page
       WHERE bytes_before < ?
       ORDER BY first_index
      """;

  private static final CompactRows COMPACT = new CompactRows();

  private final Transactions transactions;
  private final StreamHeads heads;

  PageStore(Transactions transactions, StreamHeads heads) {
    this.transactions = transactions;
    this.heads = heads;
  }

  /** The head of the stream, if there ever was one of this key. */
  Optional<Head> find(StreamKey key) {
    return transactions.readOnly(
        "find stream", connection -> Optional.ofNullable(heads.find(connection, key)));
  }

  /**
   * The segments from {@code index} on, up to about {@link #PAGE_BYTES}. A stream whose row has
   * gone since is told as DELETED.
   *
   * @throws CorruptExtent the extent of this very index is not what was written; a page ends before
   *     a later one that is not
   */
  StreamPage read(StreamKey key, long streamId, long index) {
    return transactions.readOnly(
        "read page",
        connection -> {
          Head head = head(connection, key, streamId);
          return new StreamPage(head, extents(connection, key, head, index));
        });
  }

  private static Head head(Connection connection, StreamKey key, long streamId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HEAD)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, streamId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Head.from(row) : Head.gone(streamId);
      }
    }
  }

  /**
   * What is compacted leaves the one table for the other in one commit: whoever looks first where
   * it leaves misses nothing.
   */
  static List<Extent> extents(Connection connection, StreamKey key, Head head, long index)
      throws SQLException {
    List<StoredExtent> rows = rows(connection, key, head.streamId(), index);
    boolean isElsewhere = index < head.nextIndex() && (rows.isEmpty() || !rows.get(0).holds(index));
    if (isElsewhere) {
      List<StoredExtent> compact =
          COMPACT.page(connection, key.bucket(), head.streamId(), index, PAGE_EXTENTS, PAGE_BYTES);
      rows = compact.isEmpty() || !compact.get(0).holds(index) ? rows : compact;
    }
    return sound(rows, key, head.streamId());
  }

  private static List<StoredExtent> rows(
      Connection connection, StreamKey key, long streamId, long index) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, streamId);
      statement.setInt(3, key.bucket());
      statement.setLong(4, streamId);
      statement.setLong(5, index);
      statement.setLong(6, index);
      statement.setInt(7, PAGE_EXTENTS);
      statement.setInt(8, PAGE_BYTES);
      try (ResultSet row = statement.executeQuery()) {
        List<StoredExtent> rows = new ArrayList<>();
        while (row.next()) {
          rows.add(
              StoredExtent.plain(
                  row.getLong(1), row.getInt(2), row.getShort(3), row.getInt(4), row.getBytes(5)));
        }
        return rows;
      }
    }
  }

  /** The extents up to the first hole or the first that does not match its checksum. */
  private static List<Extent> sound(List<StoredExtent> rows, StreamKey key, long streamId) {
    List<Extent> extents = new ArrayList<>();
    long expected = -1;
    for (StoredExtent row : rows) {
      Extent extent = row.sound(streamId);
      if (!extents.isEmpty() && (extent == null || row.firstIndex() != expected)) {
        break;
      }
      if (extent == null) {
        throw new CorruptExtent(key.key(), row.firstIndex());
      }
      extents.add(extent);
      expected = row.endIndex();
    }
    return extents;
  }
}
