package io.agentjournal.client;

import com.google.protobuf.Timestamp;
import io.agentjournal.plan.Budget;
import io.agentjournal.plan.PlanMessages;
import io.agentjournal.plan.RecoveryPlanner;
import io.agentjournal.plan.Situation;
import io.agentjournal.plan.Turn;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.Wait;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is done next about a submission, worked out from the answer of GetSubmission by the same
 * rules as the server's: a pure function of what is stored, the time and who asks. It makes no
 * call.
 *
 * <p>What such an answer does not tell is taken from its better side: a requested recovery counts
 * as due, the next attempt as one that costs an attempt, and no earlier submission of the session
 * as being in the way. RecoveryService.PlanRecovery knows these as well.
 */
public final class RecoveryClassifier {
  private RecoveryClassifier() {}

  /**
   * What is next for whoever asks.
   *
   * @param attemptId who asks; null: somebody who does not hold it
   * @param now the database's time, as well as the caller knows it: see {@link #timeOf}
   */
  public static RecoveryPlan plan(
      GetSubmissionResponse found, @Nullable String attemptId, Instant now) {
    return plan(found, attemptId, now, false);
  }

  /** What somebody else would do if the lease ended now. */
  public static RecoveryPlan planWithoutLease(GetSubmissionResponse found, Instant now) {
    return plan(found, null, now, true);
  }

  /**
   * When the answer was given, by the database's clock, where a lease tells it; else by the clock
   * of this machine.
   */
  public static Instant timeOf(GetSubmissionResponse found) {
    if (!found.getSubmission().hasLease()) {
      return Instant.now();
    }
    Lease lease = found.getSubmission().getLease();
    return instant(lease.getExpiresAt())
        .minusSeconds(lease.getRemaining().getSeconds())
        .minusNanos(lease.getRemaining().getNanos());
  }

  private static RecoveryPlan plan(
      GetSubmissionResponse found,
      @Nullable String attemptId,
      Instant now,
      boolean isLeaseIgnored) {
    Submission submission = found.getSubmission();
    boolean isHeld = submission.hasLease() && !isLeaseIgnored;
    boolean isHolder = isHeld && submission.getAttemptId().equals(attemptId);
    boolean isLeaseAlive = instant(submission.getLease().getExpiresAt()).isAfter(now);
    Situation situation =
        new Situation(
            submission.getStatus() == SubmissionStatus.SUBMISSION_STATUS_SETTLED,
            isHeld && !isHolder && isLeaseAlive && !submission.hasRecoveryRequestedAt(),
            submission.hasAbortRequestedAt(),
            budget(submission, isHolder, now),
            isWaiting(submission, now),
            submission.hasInputAppliedAt(),
            found.hasJournal() ? turn(found.getJournal(), found) : null);
    return PlanMessages.from(RecoveryPlanner.plan(situation));
  }

  /** Its holder has an attempt, and one that waited goes on without a further one. */
  private static Budget budget(Submission submission, boolean isHolder, Instant now) {
    boolean needsAttempt =
        !isHolder && submission.getStatus() != SubmissionStatus.SUBMISSION_STATUS_WAITING;
    if (needsAttempt && submission.getAttemptCount() >= submission.getMaxAttempts()) {
      return Budget.ATTEMPTS_SPENT;
    }
    boolean isTimeSpent =
        submission.hasDeadlineAt()
            && submission.getStatus() == SubmissionStatus.SUBMISSION_STATUS_RUNNING
            && !instant(submission.getDeadlineAt()).isAfter(now);
    return isTimeSpent ? Budget.TIME_SPENT : Budget.LEFT;
  }

  private static boolean isWaiting(Submission submission, Instant now) {
    return switch (submission.getStatus()) {
      case SUBMISSION_STATUS_QUEUED -> isBefore(submission, now);
      case SUBMISSION_STATUS_WAITING ->
          isBefore(submission, now)
              || submission.getWaitsList().stream().anyMatch(wait -> isOpen(wait, now));
      default -> false;
    };
  }

  private static boolean isBefore(Submission submission, Instant now) {
    return submission.hasNotBefore() && instant(submission.getNotBefore()).isAfter(now);
  }

  private static boolean isOpen(Wait wait, Instant now) {
    boolean isExpired = wait.hasExpiresAt() && !instant(wait.getExpiresAt()).isAfter(now);
    return !wait.hasAnsweredAt() && !isExpired;
  }

  private static Turn turn(TurnJournal journal, GetSubmissionResponse found) {
    return switch (journal.getPhase()) {
      case TURN_PHASE_BEFORE_PROVIDER -> new Turn.BeforeProvider();
      case TURN_PHASE_PROVIDER_STARTED ->
          new Turn.ProviderStarted(
              journal.getStreamKey(),
              found.hasStream() ? response(found.getStream()) : Turn.Response.GONE,
              found.getStream().getNextIndex(),
              journal.hasStreamConsumedAt());
      case TURN_PHASE_TOOL_REQUEST_RECORDED ->
          new Turn.ToolRequestRecorded(calls(journal), leaf(journal.getRequestLeafId()));
      case TURN_PHASE_COMMITTED ->
          new Turn.Committed(journal.getFinal(), leaf(journal.getCommittedLeafId()));
      case TURN_PHASE_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException(
              "a phase of a newer journal: " + journal.getPhaseValue());
    };
  }

  private static Turn.Response response(Stream stream) {
    return switch (stream.getState()) {
      case STREAM_STATE_OPEN -> Turn.Response.OPEN;
      case STREAM_STATE_COMPLETE -> Turn.Response.COMPLETE;
      case STREAM_STATE_FAILED, STREAM_STATE_SUPERSEDED -> Turn.Response.FAILED;
      case STREAM_STATE_DELETED -> Turn.Response.GONE;
      case STREAM_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException(
              "a state of a newer journal: " + stream.getStateValue());
    };
  }

  private static List<Turn.Call> calls(TurnJournal journal) {
    return journal.getCallsList().stream()
        .map(
            call ->
                new Turn.Call(
                    call.getToolCallId(),
                    call.getName(),
                    switch (call.getState()) {
                      case TOOL_CALL_STATE_RECORDED -> Turn.Progress.RECORDED;
                      case TOOL_CALL_STATE_STARTED -> Turn.Progress.STARTED;
                      case TOOL_CALL_STATE_RESULT -> Turn.Progress.RESULT;
                      case TOOL_CALL_STATE_UNSPECIFIED, UNRECOGNIZED ->
                          throw new IllegalArgumentException(
                              "a state of a newer journal: " + call.getStateValue());
                    },
                    call.getRestartSafe()))
        .toList();
  }

  /** Empty: the session had no entry. */
  private static @Nullable String leaf(String leafId) {
    return leafId.isEmpty() ? null : leafId;
  }

  private static Instant instant(Timestamp timestamp) {
    return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
  }
}
