package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal.AttemptUsed;
import io.agentjournal.refusal.Refusal.AttemptsSpent;
import io.agentjournal.refusal.Refusal.LeaseHeld;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.TimeSpent;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Hands a running submission from the attempt that holds it to the next one, inside a caller's
 * transaction:
 *
 * <ol>
 *   <li>the submission is locked, so that no write in the old attempt's name is under way;
 *   <li>an attempt id that was used, a living lease (unless by force), a spent budget: refused;
 *   <li>the submission gets the next attempt and its lease, in one statement that checks the budget
 *       again;
 *   <li>the old attempt's marker ends and the next one's begins;
 *   <li>the slot, unless committed, and its open stream get the next attempt too.
 * </ol>
 *
 * From the commit on the old attempt is refused everywhere. Stateless and thread-safe.
 */
public final class Takeover {
  private final SubmissionRows rows;
  private final SubmissionStore submissions;
  private final AttemptRows attempts;
  private final SlotHandover handover;
  private final TakeoverRows takeovers = new TakeoverRows();
  private final EventRows events = new EventRows();

  Takeover(
      SubmissionRows rows,
      SubmissionStore submissions,
      AttemptRows attempts,
      SlotHandover handover) {
    this.rows = rows;
    this.submissions = submissions;
    this.attempts = attempts;
    this.handover = handover;
  }

  /** Whether a living lease stands in the way. */
  public enum Right {
    /** Only with an expired lease or a recovery request that is due. */
    IF_RECOVERABLE,
    /** Also under a living lease. */
    BY_FORCE
  }

  /**
   * The attempt that takes over.
   *
   * @param lease null: owner and duration of the lease that it takes over
   * @param reason kept in the old attempt's marker; null: that of the recovery request, if there is
   *     one
   */
  public record Successor(AttemptId attempt, @Nullable LeaseGrant lease, @Nullable String reason) {}

  /**
   * Replaces the named attempt. The same again, while the next attempt holds the submission, is a
   * repeat.
   *
   * @return false: a repeat
   * @throws StaleAttempt the named attempt does not hold the submission
   * @throws LeaseHeld it does, and its lease lives
   */
  public boolean replace(Connection connection, AttemptId current, Successor next, Right right)
      throws SQLException {
    Standing standing = rows.lockForUpdate(connection, current.submission());
    AttemptMarker marker = attempts.find(connection, current);
    if (marker != null
        && standing.isHeldBy(next.attempt())
        && marker.wasReplacedBy(next.attempt().id(), next.reason())) {
      return false;
    }
    standing.requireHeldBy(current);
    take(connection, submissions.require(connection, current.submission()), next, right);
    return true;
  }

  /**
   * Takes over a submission that runs.
   *
   * @param locked as read under its lock
   * @throws AttemptUsed the submission has had an attempt of this id
   * @throws LeaseHeld the lease of who holds it lives
   * @throws AttemptsSpent it has had all its attempts
   * @throws TimeSpent it has had all its time
   */
  public void take(Connection connection, Submission locked, Successor next, Right right)
      throws SQLException {
    Lease held = locked.lease();
    if (held == null) {
      throw new IllegalStateException(locked.id() + " is " + locked.status());
    }
    LeaseGrant lease = next.lease();
    String owner = lease == null ? held.owner() : lease.owner();
    requireRecoverable(connection, locked, held, next, right);
    int cost = locked.nextAttemptCost();
    requireBudget(locked, cost);
    takeovers.take(connection, held.attemptId(), next.attempt(), lease, cost);
    Submission.RecoveryRequest recovery = locked.recovery();
    String reason = next.reason() == null && recovery != null ? recovery.reason() : next.reason();
    attempts.end(
        connection,
        new AttemptId(locked.id(), held.attemptId()),
        endOf(locked, held),
        reason,
        next.attempt().id());
    attempts.insert(connection, next.attempt(), owner);
    Long streamIndex = handover.to(connection, next.attempt());
    events.append(
        connection, locked.id(), streamIndex, new Event.TakenOver(next.attempt().id(), owner));
  }

  /**
   * The first thing that {@link #take} judges, which needs no lock: of many who race for a
   * submission most find it held already, and are to be told so without standing in each other's
   * way.
   */
  public void requireRecoverable(
      Connection connection, Submission locked, Lease held, Successor next, Right right)
      throws SQLException {
    LeaseGrant lease = next.lease();
    attempts.requireUnused(
        connection, next.attempt(), lease == null ? held.owner() : lease.owner());
    if (right == Right.IF_RECOVERABLE && !locked.isRecoverable()) {
      throw new LeaseHeld(
          locked.id().id(), held.owner(), held.attemptId(), held.expiresAt(), held.remaining());
    }
  }

  private static AttemptEnd endOf(Submission locked, Lease held) {
    Submission.RecoveryRequest recovery = locked.recovery();
    if (recovery != null && recovery.isDue()) {
      return AttemptEnd.HANDED_OVER;
    }
    return held.isExpired() ? AttemptEnd.EXPIRED : AttemptEnd.REPLACED;
  }

  private static void requireBudget(Submission locked, int cost) {
    Submission.Budget budget = locked.budget();
    if (budget.attemptCount() + cost > budget.maxAttempts()) {
      throw new AttemptsSpent(budget.attemptCount(), budget.maxAttempts());
    }
    if (budget.isTimeSpent() && budget.deadlineAt() != null) {
      throw new TimeSpent(budget.timeout(), budget.deadlineAt());
    }
  }
}
