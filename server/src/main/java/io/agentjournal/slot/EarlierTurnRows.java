package io.agentjournal.slot;

import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a submission before the one in the slot. Stateless and thread-safe; every method
 * blocks and runs in the caller's transaction.
 */
public final class EarlierTurnRows {
  private static final String FIND =
      "SELECT "
          + SlotColumns.OF_TURN
          + " FROM turns WHERE namespace = ? AND submission_id = ? AND turn_id = ?";

  private static final String LIST =
      "SELECT "
          + SlotColumns.OF_TURN
          + """
             FROM turns
            WHERE namespace = ? AND submission_id = ? AND revision > ?
            ORDER BY revision
            LIMIT ?
          """;

  private static final String KEEP =
      "INSERT INTO turns (namespace, submission_id, "
          + SlotColumns.OF_TURN
          + ") SELECT namespace, submission_id, "
          + SlotColumns.OF_TURN
          + " FROM turn_journals WHERE namespace = ? AND submission_id = ?";

  /** Null: no earlier turn had this id. */
  public @Nullable TurnFacts find(Connection connection, SubmissionId submission, String turnId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, turnId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? SlotColumns.turn(row) : null;
      }
    }
  }

  /** The first so many above a revision, oldest first. */
  public List<TurnFacts> list(
      Connection connection, SubmissionId submission, long aboveRevision, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setLong(3, aboveRevision);
      statement.setInt(4, limit);
      try (ResultSet rows = statement.executeQuery()) {
        List<TurnFacts> turns = new ArrayList<>();
        while (rows.next()) {
          turns.add(SlotColumns.turn(rows));
        }
        return turns;
      }
    }
  }

  /** Keeps what the slot says now, which is about to be replaced. */
  void keep(Connection connection, SubmissionId submission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(KEEP)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.executeUpdate();
    }
  }
}
