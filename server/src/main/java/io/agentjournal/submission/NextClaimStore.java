package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.AttemptUsed;
import io.agentjournal.submission.WorkRows.Found;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives workers what they may have next:
 *
 * <ol>
 *   <li>what this attempt id got before, while it still holds it: a repeat;
 *   <li>candidates are looked for without locks, the recoverable ones first, then the oldest;
 *   <li>each is claimed by id in a transaction of its own, which judges it; one that somebody else
 *       is busy with is passed over;
 *   <li>the claim's last statement notes what the attempt id got, which it does once.
 * </ol>
 *
 * Thread-safe; every method blocks.
 */
final class NextClaimStore {
  /** Looked at before the worker is told to wait. */
  private static final int CANDIDATES = 16;

  private static final String HAND_BACK =
      """
      UPDATE submissions
         SET attempt_count = attempt_count - ?,
             recovery_requested_at = now(), recovery_not_before = now(), recovery_is_counted = false,
             recovery_reason = ?
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING' AND attempt_id = ?
      """;

  private static final String CANCELLED = "the call that claimed it was cancelled";

  private final Transactions transactions;
  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final SubmissionStore submissions;
  private final ClaimStore claims;
  private final ClaimedStore claimed;
  private final RequeueStore requeues;
  private final WorkRows work = new WorkRows();
  private final NextClaimRows given = new NextClaimRows();

  NextClaimStore(
      Transactions transactions,
      SessionRows sessions,
      SubmissionRows rows,
      SubmissionStore submissions,
      ClaimStore claims,
      ClaimedStore claimed,
      RequeueStore requeues) {
    this.transactions = transactions;
    this.sessions = sessions;
    this.rows = rows;
    this.submissions = submissions;
    this.claims = claims;
    this.claimed = claimed;
    this.requeues = requeues;
  }

  /** The attempt id got something in the meantime: what this transaction claimed is not to be. */
  private static final class GivenMeanwhile extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GivenMeanwhile() {
      super(null, null, false, false);
    }
  }

  /**
   * What the attempt id got before.
   *
   * @return nothing: it got nothing yet
   * @throws AttemptUsed it got something, for another owner, or does not hold it any more
   */
  Optional<Claimed> repeat(NextClaim claim) {
    return transactions.run("ClaimNextSubmission repeat", tx -> repeat(tx, claim));
  }

  private Optional<Claimed> repeat(Connection connection, NextClaim claim) throws SQLException {
    NextClaimRows.Given before = given.find(connection, claim);
    if (before == null) {
      return Optional.empty();
    }
    AttemptId attempt = attempt(claim, before.submissionId());
    // Locked, for submission, slot and plan are to be told as of one moment.
    Submission submission = submissions.lockIfPresent(connection, attempt.submission());
    if (submission == null || !given.tell(connection, claim)) {
      return Optional.empty();
    }
    if (!submission.isHeldBy(claim.attemptId()) || !before.owner().equals(claim.lease().owner())) {
      throw new AttemptUsed(before.submissionId(), claim.attemptId());
    }
    return Optional.of(claimed.read(connection, false, attempt));
  }

  /** Claims one, if there is one now. */
  Optional<Claimed> claim(NextClaim claim) {
    for (SubmissionId candidate : candidates(claim)) {
      Optional<Claimed> got = claim(claim, candidate);
      if (got.isPresent()) {
        return got;
      }
    }
    return Optional.empty();
  }

  /** Nothing: somebody else came before, or it is not what the look found any more. */
  private Optional<Claimed> claim(NextClaim claim, SubmissionId candidate) {
    try {
      return transactions.run("ClaimNextSubmission", tx -> claim(tx, claim, candidate));
    } catch (GivenMeanwhile e) {
      return repeat(claim);
    } catch (Refusal notThisOne) {
      return Optional.empty();
    }
  }

  private List<SubmissionId> candidates(NextClaim claim) {
    return transactions.readOnly("find work", tx -> candidates(tx, claim));
  }

  private List<SubmissionId> candidates(Connection connection, NextClaim claim)
      throws SQLException {
    List<Found> found = new ArrayList<>();
    if (claim.wantsRecoverable()) {
      found.addAll(work.recoverable(connection, claim.namespace(), claim.queues(), CANDIDATES));
    }
    if (claim.wantsQueued()) {
      found.addAll(work.queued(connection, claim.namespace(), claim.queues(), CANDIDATES));
    }
    return found.stream().limit(CANDIDATES).map(Found::submission).toList();
  }

  /** Nothing: somebody is busy with its session. */
  private Optional<Claimed> claim(Connection connection, NextClaim claim, SubmissionId candidate)
      throws SQLException {
    SessionKey session = rows.sessionOf(connection, candidate);
    if (!sessions.tryLock(connection, session)) {
      return Optional.empty();
    }
    int countBefore = submissions.require(connection, candidate).budget().attemptCount();
    AttemptId attempt = attempt(claim, candidate.id());
    Claimed got = claims.claim(connection, attempt, claim.lease());
    if (!got.applied()) {
      // It holds it by another call, which is not this one's to repeat, nor to give back.
      return Optional.empty();
    }
    int cost = got.submission().budget().attemptCount() - countBefore;
    if (!given.insert(connection, claim, candidate.id(), cost)) {
      throw new GivenMeanwhile();
    }
    return Optional.of(got);
  }

  /** What a call claimed that was cancelled goes back, unless a retry of it was told of it. */
  void giveBack(NextClaim claim) {
    transactions.run("ClaimNextSubmission give back", tx -> giveBack(tx, claim));
  }

  private boolean giveBack(Connection connection, NextClaim claim) throws SQLException {
    NextClaimRows.Given got = given.find(connection, claim);
    if (got == null) {
      return false;
    }
    AttemptId attempt = attempt(claim, got.submissionId());
    sessions.lockIfPresent(connection, rows.sessionOf(connection, attempt.submission()));
    Standing standing = rows.lockForUpdate(connection, attempt.submission());
    if (!given.remove(connection, claim) || !standing.isHeldBy(attempt)) {
      return false;
    }
    if (!standing.isInputApplied()) {
      return requeues.requeue(connection, attempt, AttemptEnd.GIVEN_BACK, Duration.ZERO, CANCELLED);
    }
    return handBack(connection, attempt, got.attemptCost());
  }

  /** One that was taken over is to be taken over once more, as if this attempt had never been. */
  private static boolean handBack(Connection connection, AttemptId attempt, int attemptCost)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HAND_BACK)) {
      statement.setInt(1, attemptCost);
      statement.setString(2, CANCELLED);
      statement.setString(3, attempt.namespace().name());
      statement.setString(4, attempt.submission().id());
      statement.setString(5, attempt.id());
      return statement.executeUpdate() == 1;
    }
  }

  private static AttemptId attempt(NextClaim claim, String submissionId) {
    return new AttemptId(new SubmissionId(claim.namespace(), submissionId), claim.attemptId());
  }
}
