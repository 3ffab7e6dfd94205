package io.agentjournal.submission;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads submissions whole, inside a caller's transaction. Stateless and thread-safe. */
public final class SubmissionStore {
  private static final String FIND =
      "SELECT "
          + SubmissionColumns.ALL
          + " FROM submissions WHERE namespace = ? AND submission_id = ?";

  private static final String LOCK = FIND + " FOR UPDATE";

  private static final String HOLD = FIND + " FOR SHARE";

  private final WaitRows waits = new WaitRows();

  /** Null: there is no such submission. */
  public @Nullable Submission find(Connection connection, SubmissionId id) throws SQLException {
    return select(connection, FIND, id);
  }

  /**
   * As it is now.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public Submission require(Connection connection, SubmissionId id) throws SQLException {
    return required(find(connection, id), id);
  }

  /** The answer of a call that was to change it. */
  Changed changed(Connection connection, boolean applied, SubmissionId id) throws SQLException {
    return new Changed(applied, require(connection, id));
  }

  /**
   * As {@link SubmissionRows#lockForUpdate}, and reads it whole.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public Submission lock(Connection connection, SubmissionId id) throws SQLException {
    return required(lockIfPresent(connection, id), id);
  }

  /** As {@link #lock}; null: there is no such submission. */
  @Nullable Submission lockIfPresent(Connection connection, SubmissionId id) throws SQLException {
    return select(connection, LOCK, id);
  }

  /**
   * As {@link #find}; until the end of the transaction nobody changes it, nor what is changed only
   * under its lock.
   */
  @Nullable Submission hold(Connection connection, SubmissionId id) throws SQLException {
    return select(connection, HOLD, id);
  }

  private static Submission required(@Nullable Submission submission, SubmissionId id) {
    if (submission == null) {
      throw new SubmissionNotFound(id.id());
    }
    return submission;
  }

  private @Nullable Submission select(Connection connection, String statementText, SubmissionId id)
      throws SQLException {
    Submission submission;
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      long readAtNanos = System.nanoTime();
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        submission = SubmissionColumns.submission(row, readAtNanos);
      }
    }
    return submission.hasWaits() ? submission.withWaits(waits.current(connection, id)) : submission;
  }
}
