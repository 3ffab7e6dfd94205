package io.agentjournal.slot;

import io.agentjournal.database.Columns;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and locks slots. Whoever locks one holds the lock of its submission already. Stateless and
 * thread-safe; every method blocks and runs in the caller's transaction.
 */
public final class SlotRows {
  private static final String FIND =
      "SELECT session_key, kind, attempt_id, traceparent, updated_at, "
          + SlotColumns.OF_TURN
          + " FROM turn_journals WHERE namespace = ? AND submission_id = ?";

  private static final String LOCK = FIND + " FOR UPDATE";

  private static final String REPOINT =
      """
      UPDATE turn_journals
         SET attempt_id = ?, updated_at = now()
       WHERE namespace = ? AND submission_id = ? AND phase <> 'committed'
      """;

  private final ToolCallRows toolCalls = new ToolCallRows();

  /** The slot as last committed; null: no turn was begun. */
  public @Nullable Slot find(Connection connection, SubmissionId submission) throws SQLException {
    return select(connection, FIND, submission);
  }

  /** The slot, locked until the end of the transaction; null: no turn was begun. */
  public @Nullable Slot lock(Connection connection, SubmissionId submission) throws SQLException {
    return select(connection, LOCK, submission);
  }

  /** The slot with its calls; null: no turn was begun. */
  public @Nullable TurnJournal journal(Connection connection, SubmissionId submission)
      throws SQLException {
    Slot slot = find(connection, submission);
    return slot == null ? null : withCalls(connection, slot);
  }

  /** The slot of a submission that certainly has one, with its calls. */
  public TurnJournal requireJournal(Connection connection, SubmissionId submission)
      throws SQLException {
    TurnJournal journal = journal(connection, submission);
    if (journal == null) {
      throw new IllegalStateException("no slot: " + submission);
    }
    return journal;
  }

  /** The slot with the calls of its turn. */
  public TurnJournal withCalls(Connection connection, Slot slot) throws SQLException {
    if (slot.turn().requested() == null) {
      return new TurnJournal(slot, List.of(), false);
    }
    List<ToolCall> calls =
        toolCalls.list(
            connection,
            slot.submission(),
            slot.turn().turnId(),
            TurnJournal.MAX_INLINE_ARGUMENT_BYTES);
    boolean omitted = calls.stream().anyMatch(call -> call.arguments() == null);
    return new TurnJournal(slot, calls, omitted);
  }

  /**
   * Gives the slot, unless it is committed, to the next attempt. For a transaction that holds the
   * submission's lock.
   */
  public void repointUncommitted(
      Connection connection, SubmissionId submission, String nextAttemptId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REPOINT)) {
      statement.setString(1, nextAttemptId);
      statement.setString(2, submission.namespace().name());
      statement.setString(3, submission.id());
      statement.executeUpdate();
    }
  }

  private static @Nullable Slot select(
      Connection connection, String statementText, SubmissionId submission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? slot(submission, row) : null;
      }
    }
  }

  private static Slot slot(SubmissionId submission, ResultSet row) throws SQLException {
    return new Slot(
        submission,
        row.getString("session_key"),
        row.getString("kind"),
        row.getString("attempt_id"),
        SlotColumns.turn(row),
        row.getString("traceparent"),
        Columns.instant(row, "updated_at"));
  }
}
