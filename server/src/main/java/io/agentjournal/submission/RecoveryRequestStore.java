package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stamps that somebody else is to take a running submission over, inside a caller's transaction. Of
 * two requests the one that is due first counts.
 */
final class RecoveryRequestStore {
  private static final int SUBMISSIONS_PER_TRANSACTION = 100;

  // now() is when the transaction began: maybe before the stamp of a request that it waited for.
  private static final String STAMP =
      """
      UPDATE submissions
         SET recovery_requested_at = now(), recovery_not_before = now() + ? * interval '1 millisecond',
             recovery_reason = ?, recovery_is_counted = ?
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING' AND attempt_id = ?
         AND (recovery_not_before IS NULL
              OR recovery_not_before > clock_timestamp() + ? * interval '1 millisecond')
      """;

  private static final String OF_OWNER =
      """
      SELECT submission_id
        FROM submissions
       WHERE namespace = ? AND owner = ? AND status = 'RUNNING' AND submission_id > ?
       ORDER BY submission_id
       LIMIT ?
      """;

  private final SubmissionRows rows;

  RecoveryRequestStore(SubmissionRows rows) {
    this.rows = rows;
  }

  /** When, why, and whether the take-over counts as an attempt. */
  record RecoveryWish(Duration delay, String reason, boolean isCounted) {}

  /**
   * By whoever holds it.
   *
   * @return its id, if this stamped it
   * @throws SubmissionNotFound there is no such submission
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   */
  List<String> ofAttempt(Connection connection, AttemptId attempt, RecoveryWish wish)
      throws SQLException {
    rows.lockForUpdate(connection, attempt.submission()).requireHeldBy(attempt);
    return stamp(connection, attempt, wish) ? List.of(attempt.submission().id()) : List.of();
  }

  /**
   * By somebody who wants it taken from whoever holds it.
   *
   * @return its id, if this stamped it
   * @throws SubmissionNotFound there is no such submission
   * @throws AlreadySettled it runs no more
   * @throws IllegalPhase it does not run
   */
  List<String> ofSubmission(Connection connection, SubmissionId id, RecoveryWish wish)
      throws SQLException {
    Standing submission = rows.lockForUpdate(connection, id).requireUnsettled();
    String holder = submission.attemptId();
    if (holder == null) {
      throw new IllegalPhase(submission.status().name(), SubmissionStatus.RUNNING.name());
    }
    return stamp(connection, new AttemptId(id, holder), wish) ? List.of(id.id()) : List.of();
  }

  /**
   * A part of an owner's submissions.
   *
   * @param stamped those that this stamped
   * @param lastId of those that were looked at; null: there are no more
   */
  record Slice(List<String> stamped, @Nullable String lastId) {}

  /** The next of those that run under the owner's name, in the order of their ids. */
  Slice sliceOfOwner(
      Connection connection, Namespace namespace, String owner, String afterId, RecoveryWish wish)
      throws SQLException {
    List<String> ids = idsOfOwner(connection, namespace, owner, afterId);
    List<String> stamped = new ArrayList<>();
    for (String id : ids) {
      SubmissionId submission = new SubmissionId(namespace, id);
      Standing standing = rows.lockForUpdate(connection, submission);
      String holder = standing.attemptId();
      if (holder != null
          && owner.equals(standing.owner())
          && stamp(connection, new AttemptId(submission, holder), wish)) {
        stamped.add(id);
      }
    }
    boolean isLast = ids.size() < SUBMISSIONS_PER_TRANSACTION;
    return new Slice(stamped, isLast ? null : ids.get(ids.size() - 1));
  }

  private static List<String> idsOfOwner(
      Connection connection, Namespace namespace, String owner, String afterId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OF_OWNER)) {
      statement.setString(1, namespace.name());
      statement.setString(2, owner);
      statement.setString(3, afterId);
      statement.setInt(4, SUBMISSIONS_PER_TRANSACTION);
      try (ResultSet row = statement.executeQuery()) {
        List<String> ids = new ArrayList<>();
        while (row.next()) {
          ids.add(row.getString(1));
        }
        return ids;
      }
    }
  }

  private static boolean stamp(Connection connection, AttemptId holder, RecoveryWish wish)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STAMP)) {
      statement.setLong(1, wish.delay().toMillis());
      statement.setString(2, wish.reason());
      statement.setBoolean(3, wish.isCounted());
      statement.setString(4, holder.namespace().name());
      statement.setString(5, holder.submission().id());
      statement.setString(6, holder.id());
      statement.setLong(7, wish.delay().toMillis());
      return statement.executeUpdate() == 1;
    }
  }
}
