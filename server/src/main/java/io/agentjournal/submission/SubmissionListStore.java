package io.agentjournal.submission;

import io.agentjournal.database.Columns;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.StoredStream;
import io.agentjournal.segment.StreamRows;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.submission.SubmissionSelection.Filter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists submissions, inside a caller's snapshot. Stateless and thread-safe. */
final class SubmissionListStore {
  /** Of a page, unless it has one row only; an answer may have 4 MiB, and one row has less. */
  private static final long MAX_PAGE_BYTES = 3_500_000;

  /** Fetched at a time: of a page that is full by its bytes the rest stays in the database. */
  private static final int FETCH_ROWS = 16;

  private static final String NOW = "SELECT now()";

  private final WaitRows waits = new WaitRows();
  private final StreamRows streams = new StreamRows();
  private final SlotRows slots;

  SubmissionListStore(SlotRows slots) {
    this.slots = slots;
  }

  /**
   * A page of a list. It may be short, or empty, and yet another one follow.
   *
   * @param last the row that the next page follows; null: there is no next page
   */
  record Page(List<Submission> submissions, @Nullable Submission last) {}

  /**
   * In the order of ids or, of one session, of admission.
   *
   * @param after id or sequence of the row that the page follows; null: none
   * @param size how many rows are looked at, at most
   */
  Page list(Connection connection, SubmissionSelection selection, @Nullable String after, int size)
      throws SQLException {
    Looked looked = look(connection, selection, after, size);
    List<Submission> found = new ArrayList<>();
    Instant stillSince =
        selection.filter() == Filter.STUCK
            ? now(connection).minus(selection.stillFor())
            : Instant.MAX;
    long bytes = 0;
    Submission last = null;
    for (Submission row : looked.rows()) {
      Submission submission =
          row.hasWaits() ? row.withWaits(waits.current(connection, row.id())) : row;
      bytes += submission.messageBytes();
      if (bytes > MAX_PAGE_BYTES && last != null) {
        return new Page(found, last);
      }
      last = submission;
      if (!movedSince(connection, submission, stillSince)) {
        found.add(submission);
      }
    }
    return new Page(found, looked.areMore() ? last : null);
  }

  /** Rows in order, without their waits; and whether more follow. */
  private record Looked(List<Submission> rows, boolean areMore) {}

  private static Looked look(
      Connection connection, SubmissionSelection selection, @Nullable String after, int size)
      throws SQLException {
    List<Submission> rows = new ArrayList<>();
    try (PreparedStatement statement =
        SubmissionListRows.prepare(connection, selection, after, size + 1)) {
      statement.setFetchSize(FETCH_ROWS);
      long readAtNanos = System.nanoTime();
      long bytes = 0;
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          Submission submission = SubmissionColumns.submission(row, readAtNanos);
          bytes += submission.messageBytes();
          if (rows.size() == size || (bytes > MAX_PAGE_BYTES && !rows.isEmpty())) {
            return new Looked(rows, true);
          }
          rows.add(submission);
        }
      }
    }
    return new Looked(rows, false);
  }

  /** Segments of the slot's stream count as movement; what else does is in the statement. */
  private boolean movedSince(Connection connection, Submission submission, Instant stillSince)
      throws SQLException {
    if (stillSince.equals(Instant.MAX)) {
      return false;
    }
    Slot slot = slots.find(connection, submission.id());
    StreamKey key = slot == null ? null : slot.streamKey();
    StoredStream stream = key == null ? null : streams.find(connection, key);
    return stream != null
        && stream.lastSegmentAt() != null
        && stream.lastSegmentAt().isAfter(stillSince);
  }

  private static Instant now(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NOW);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return Columns.instant(row, "now");
    }
  }
}
