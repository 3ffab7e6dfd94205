package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.AttemptsSpent;
import io.agentjournal.refusal.Refusal.NotRunnable;
import io.agentjournal.refusal.Refusal.SessionBusy;
import io.agentjournal.refusal.Refusal.TimeSpent;
import io.agentjournal.submission.Takeover.Successor;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Claims a submission by id, inside a caller's transaction:
 *
 * <ol>
 *   <li>the session is locked, then the submission;
 *   <li>held by this attempt and owner already: a repeat;
 *   <li>settled: refused;
 *   <li>running: taken over, as {@link Takeover} judges it;
 *   <li>an attempt id that was used: refused;
 *   <li>queued or waiting: only the head of the session's queue, only when its time has come, and
 *       only within the budget, which the claim's own statement checks. One that waited gets its
 *       slot and open stream back.
 * </ol>
 */
final class ClaimStore {
  private static final String CLAIM =
      """
      UPDATE submissions
         SET status = 'RUNNING', attempt_id = ?, owner = ?, lease_ms = ?,
             lease_expires_at = LEAST(now() + ? * interval '1 millisecond',
                                      COALESCE(deadline_at + (now() - COALESCE(waiting_since, now())),
                                               now() + timeout_ms * interval '1 millisecond')),
             attempt_count = attempt_count + CASE status WHEN 'QUEUED' THEN 1 ELSE 0 END,
             started_at = COALESCE(started_at, now()),
             deadline_at = COALESCE(deadline_at + (now() - COALESCE(waiting_since, now())),
                                    now() + timeout_ms * interval '1 millisecond'),
             waiting_since = NULL, runnable_at = NULL
       WHERE namespace = ? AND submission_id = ?
         AND (   (status = 'QUEUED' AND attempt_count < max_attempts AND COALESCE(deadline_at > now(), true))
              OR (status = 'WAITING' AND deadline_at > waiting_since))
      """;

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final QueueRows queue;
  private final AttemptRows attempts;
  private final SubmissionStore submissions;
  private final Takeover takeover;
  private final SlotHandover handover;
  private final ClaimedStore claimed;
  private final EventRows events = new EventRows();

  ClaimStore(
      SessionRows sessions,
      SubmissionRows rows,
      QueueRows queue,
      AttemptRows attempts,
      SubmissionStore submissions,
      Takeover takeover,
      SlotHandover handover,
      ClaimedStore claimed) {
    this.sessions = sessions;
    this.rows = rows;
    this.queue = queue;
    this.attempts = attempts;
    this.submissions = submissions;
    this.takeover = takeover;
    this.handover = handover;
    this.claimed = claimed;
  }

  Claimed claim(Connection connection, AttemptId attempt, LeaseGrant lease) throws SQLException {
    SessionKey session = rows.sessionOf(connection, attempt.submission());
    sessions.lockIfPresent(connection, session);
    Submission found = submissions.lock(connection, attempt.submission());
    Lease held = found.lease();
    if (held != null
        && held.attemptId().equals(attempt.id())
        && held.owner().equals(lease.owner())) {
      return claimed.read(connection, false, attempt);
    }
    requireUnsettled(found);
    if (held != null) {
      Successor successor = new Successor(attempt, lease, null);
      takeover.take(connection, found, successor, Takeover.Right.IF_RECOVERABLE);
      return claimed.read(connection, true, attempt);
    }
    attempts.requireUnused(connection, attempt, lease.owner());
    requireRunnable(connection, found);
    requireBudget(found);
    write(connection, attempt, lease);
    attempts.insert(connection, attempt, lease.owner());
    Long streamIndex = handover.to(connection, attempt);
    events.append(
        connection,
        attempt.submission(),
        streamIndex,
        Event.StatusChanged.to(SubmissionStatus.RUNNING.name()));
    return claimed.read(connection, true, attempt);
  }

  private static void requireUnsettled(Submission submission) {
    Submission.Settled settled = submission.settled();
    if (settled != null) {
      throw new AlreadySettled(submission.id().id(), settled.outcome().name(), settled.settledAt());
    }
  }

  private void requireRunnable(Connection connection, Submission submission) throws SQLException {
    String head = queue.head(connection, submission.session());
    if (!submission.id().id().equals(head)) {
      throw new SessionBusy(submission.session().key(), head);
    }
    if (!submission.isRunnable()) {
      throw new NotRunnable(submission.id().id(), submission.notBefore());
    }
  }

  /** What the statement below demands, told. */
  private static void requireBudget(Submission submission) {
    Submission.Budget budget = submission.budget();
    if (submission.status() == SubmissionStatus.QUEUED && budget.areAttemptsSpent()) {
      throw new AttemptsSpent(budget.attemptCount(), budget.maxAttempts());
    }
    if (budget.isTimeSpent() && budget.deadlineAt() != null) {
      throw new TimeSpent(budget.timeout(), budget.deadlineAt());
    }
  }

  private static void write(Connection connection, AttemptId attempt, LeaseGrant lease)
      throws SQLException {
    Duration duration = lease.duration();
    try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
      statement.setString(1, attempt.id());
      statement.setString(2, lease.owner());
      statement.setLong(3, duration.toMillis());
      statement.setLong(4, duration.toMillis());
      statement.setString(5, attempt.namespace().name());
      statement.setString(6, attempt.submission().id());
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a claim that was judged possible was not");
      }
    }
  }
}
