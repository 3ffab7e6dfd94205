package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.TakeOverResponse;
import io.agentjournal.v1.TakenOver;
import io.agentjournal.v1.WatchSubmissionResponse;

/** What the contract says of getting hold of a submission. */
final class Claims {
  private Claims() {}

  static Answer claim(World world, ClaimSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    boolean applied =
        claim(
            world, submission, request.getAttempt().getAttemptId(), request.getLease().getOwner());
    return told(
        ClaimSubmissionResponse.getDefaultInstance(),
        applied,
        world,
        submission,
        request.getAttempt().getAttemptId());
  }

  /** False: it holds it already. */
  static boolean claim(World world, ModelSubmission submission, String attemptId, String owner) {
    if (submission.isHeldBy(attemptId, owner)) {
      return false;
    }
    submission.requireUnsettled();
    if (submission.isRunning()) {
      take(world, submission, attemptId, owner, submission.told.getRecoveryReason(), false);
      return true;
    }
    requireUnused(submission, attemptId);
    if (!world.isHead(submission)) {
      throw new Denied(
          ErrorReason.ERROR_REASON_SESSION_BUSY,
          "active_submission_id",
          String.valueOf(world.sessionOf(submission).head()));
    }
    if (!world.isRunnable(submission)) {
      throw new Denied(ErrorReason.ERROR_REASON_NOT_RUNNABLE, "submission_id", submission.id());
    }
    int cost = submission.isWaiting() ? 0 : 1;
    requireBudget(submission, cost);
    submission.count(cost);
    submission.told =
        submission.told.toBuilder().setStartedAt(Told.TIME).setDeadlineAt(Told.TIME).build();
    submission.hold(attemptId, owner);
    handOver(world, submission);
    world.tellStatus(submission, StatusChanged.newBuilder());
    return true;
  }

  private static void requireUnused(ModelSubmission submission, String attemptId) {
    if (submission.markers.containsKey(attemptId)) {
      throw new Denied(ErrorReason.ERROR_REASON_ATTEMPT_USED, "attempt_id", attemptId);
    }
  }

  private static void requireBudget(ModelSubmission submission, int cost) {
    int attempts = submission.told.getAttemptCount();
    if (attempts + cost > submission.told.getMaxAttempts()) {
      throw new Denied(ErrorReason.ERROR_REASON_BUDGET_SPENT, "attempts", attempts);
    }
    if (submission.timeSpent) {
      throw new Denied(ErrorReason.ERROR_REASON_BUDGET_SPENT);
    }
  }

  /** The uncommitted slot, and its open stream, belong to whoever holds the submission. */
  private static void handOver(World world, ModelSubmission submission) {
    ModelTurn slot = submission.slot();
    if (slot == null || slot.isCommitted()) {
      return;
    }
    slot.slot = slot.slot.toBuilder().setAttemptId(submission.told.getAttemptId()).build();
    ModelStream stream = world.streamOf(submission);
    if (stream != null && stream.isOpen()) {
      stream.told =
          stream.told.toBuilder()
              .setAttempt(
                  AttemptRef.newBuilder()
                      .setSubmissionId(submission.id())
                      .setAttemptId(submission.told.getAttemptId()))
              .build();
    }
  }

  private static void take(
      World world,
      ModelSubmission submission,
      String attemptId,
      String owner,
      String reason,
      boolean force) {
    requireUnused(submission, attemptId);
    if (!force && !submission.isRecoverable()) {
      throw new Denied(
          ErrorReason.ERROR_REASON_LEASE_HELD,
          "attempt_id",
          submission.told.getAttemptId(),
          "owner",
          submission.told.getLease().getOwner());
    }
    int cost = submission.takeoverCost();
    requireBudget(submission, cost);
    submission.endMarker(endOf(submission), reason, attemptId);
    submission.count(cost);
    submission.forgetRecovery();
    submission.hold(attemptId, owner);
    handOver(world, submission);
    world.tell(
        submission,
        WatchSubmissionResponse.newBuilder()
            .setTakenOver(TakenOver.newBuilder().setAttemptId(attemptId).setOwner(owner)));
  }

  private static AttemptEnd endOf(ModelSubmission submission) {
    if (submission.told.hasRecoveryRequestedAt() && submission.recoveryDue) {
      return AttemptEnd.ATTEMPT_END_HANDED_OVER;
    }
    return submission.leaseEnded ? AttemptEnd.ATTEMPT_END_EXPIRED : AttemptEnd.ATTEMPT_END_REPLACED;
  }

  static Answer takeOver(World world, TakeOverRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    boolean isRepeat = submission.isHeldBy(request.getAttemptId(), request.getLease().getOwner());
    if (!isRepeat) {
      submission.requireUnsettled();
      if (!submission.isRunning()) {
        throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
      }
      take(
          world,
          submission,
          request.getAttemptId(),
          request.getLease().getOwner(),
          request.getReason().isEmpty() ? submission.told.getRecoveryReason() : request.getReason(),
          request.getForce());
    }
    return told(
        TakeOverResponse.getDefaultInstance(),
        !isRepeat,
        world,
        submission,
        request.getAttemptId());
  }

  static Answer replace(World world, ReplaceTurnJournalAttemptRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    String current = request.getAttempt().getAttemptId();
    String next = request.getNextAttemptId();
    boolean isRepeat =
        submission.isHeldBy(next)
            && submission.markers.containsKey(current)
            && submission.markers.get(current).getNextAttemptId().equals(next)
            && submission.markers.get(current).getReason().equals(request.getReason());
    if (!isRepeat) {
      submission.requireHeldBy(current);
      take(
          world,
          submission,
          next,
          request.hasLease()
              ? request.getLease().getOwner()
              : submission.told.getLease().getOwner(),
          request.getReason(),
          !request.getRequireExpiredLease());
    }
    return told(
        ReplaceTurnJournalAttemptResponse.getDefaultInstance(), !isRepeat, world, submission, next);
  }

  static Answer told(
      Message type, boolean applied, World world, ModelSubmission submission, String attemptId) {
    return Told.of(
        type,
        "applied",
        applied,
        "submission",
        submission.view(),
        "journal",
        Turns.journal(submission),
        "plan",
        Plans.plan(world, submission, attemptId, false));
  }
}
