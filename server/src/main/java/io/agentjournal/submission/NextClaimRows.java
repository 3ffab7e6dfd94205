package io.agentjournal.submission;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What ClaimNextSubmission gave to whom. Stateless and thread-safe. */
final class NextClaimRows {
  private static final String INSERT =
      """
      INSERT INTO next_claims (namespace, attempt_id, owner, submission_id, call_id, attempt_cost)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (namespace, attempt_id) DO NOTHING
      RETURNING submission_id
      """;

  private static final String TELL =
      """
      UPDATE next_claims
         SET call_id = ''
       WHERE namespace = ? AND attempt_id = ?
      """;

  private static final String FIND =
      """
      SELECT owner, submission_id, attempt_cost
        FROM next_claims
       WHERE namespace = ? AND attempt_id = ?
      """;

  private static final String REMOVE =
      "DELETE FROM next_claims WHERE namespace = ? AND attempt_id = ? AND call_id = ?";

  /** What an attempt id got. */
  record Given(String owner, String submissionId, int attemptCost) {}

  /** False: the attempt id has got something already. Waits for a transaction that is about to. */
  boolean insert(Connection connection, NextClaim claim, String submissionId, int attemptCost)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, claim.namespace().name());
      statement.setString(2, claim.attemptId());
      statement.setString(3, claim.lease().owner());
      statement.setString(4, submissionId);
      statement.setString(5, claim.callId());
      statement.setInt(6, attemptCost);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /**
   * From now on nobody gives back what the attempt id has got: which of two calls came later cannot
   * be told, and one that a caller has given up may come last. False: it has got nothing.
   */
  boolean tell(Connection connection, NextClaim claim) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TELL)) {
      statement.setString(1, claim.namespace().name());
      statement.setString(2, claim.attemptId());
      return statement.executeUpdate() == 1;
    }
  }

  /** What the attempt id has got; null: nothing. */
  @Nullable Given find(Connection connection, NextClaim claim) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, claim.namespace().name());
      statement.setString(2, claim.attemptId());
      return given(statement);
    }
  }

  /** False: another call was told of it. */
  boolean remove(Connection connection, NextClaim claim) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
      statement.setString(1, claim.namespace().name());
      statement.setString(2, claim.attemptId());
      statement.setString(3, claim.callId());
      return statement.executeUpdate() == 1;
    }
  }

  private static @Nullable Given given(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next()
          ? new Given(
              row.getString("owner"), row.getString("submission_id"), row.getInt("attempt_cost"))
          : null;
    }
  }
}
