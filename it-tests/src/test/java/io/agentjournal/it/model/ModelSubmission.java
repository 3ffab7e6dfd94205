package io.agentjournal.it.model;

import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.Wait;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A submission with its attempts, waits and turns. */
final class ModelSubmission extends ModelState {
  /** What it was admitted with, all limits said. */
  final AdmitSubmissionRequest admission;

  /** As callers are told of it, but for the waits. */
  Submission told;

  Delay delay = Delay.NONE;
  boolean leaseEnded;
  boolean timeSpent;
  boolean abortGraceOver;
  boolean recoveryDue;
  boolean recoveryCounted;
  String inputAppliedBy = "";
  Settlement settledAs = Settlement.getDefaultInstance();
  int suspensions;
  Story story = Story.BEGIN;
  final Map<String, ModelWait> waits = new LinkedHashMap<>();
  final Map<String, AttemptMarker> markers = new LinkedHashMap<>();
  final Map<String, ModelTurn> turns = new LinkedHashMap<>();

  /** Whether its time has come. */
  enum Delay {
    NONE,
    AHEAD,
    OVER
  }

  /**
   * A question, an answer, or both.
   *
   * @param suspension the number of the last one that asked it; 0: its answer came first
   * @param position among the questions of that suspension
   * @param isExpired nobody waits for its answer any more
   */
  record ModelWait(Wait told, int suspension, int position, boolean isExpired) {
    boolean isOver() {
      return isExpired || isAnswered();
    }

    ModelWait expired() {
      return new ModelWait(told, suspension, position, isExpired || told.hasExpiresAt());
    }

    boolean isAnswered() {
      return told.hasAnsweredAt();
    }
  }

  ModelSubmission(AdmitSubmissionRequest admission, Submission told) {
    this.admission = admission;
    this.told = told;
  }

  ModelSubmission copy() {
    ModelSubmission copy = new ModelSubmission(admission, told);
    copy.delay = delay;
    copy.leaseEnded = leaseEnded;
    copy.timeSpent = timeSpent;
    copy.abortGraceOver = abortGraceOver;
    copy.recoveryDue = recoveryDue;
    copy.recoveryCounted = recoveryCounted;
    copy.inputAppliedBy = inputAppliedBy;
    copy.settledAs = settledAs;
    copy.suspensions = suspensions;
    copy.story = story;
    copy.waits.putAll(waits);
    copy.markers.putAll(markers);
    turns.forEach((id, turn) -> copy.turns.put(id, turn.copy()));
    return copy;
  }

  @Override
  List<Object> facts() {
    return List.of(
        admission,
        told,
        delay,
        leaseEnded,
        timeSpent,
        abortGraceOver,
        recoveryDue,
        recoveryCounted,
        inputAppliedBy,
        settledAs,
        suspensions,
        story,
        waits,
        List.copyOf(markers.values()),
        List.copyOf(turns.values()));
  }

  String id() {
    return told.getSubmissionId();
  }

  SubmissionStatus status() {
    return told.getStatus();
  }

  boolean isRunning() {
    return status() == SubmissionStatus.SUBMISSION_STATUS_RUNNING;
  }

  boolean isWaiting() {
    return status() == SubmissionStatus.SUBMISSION_STATUS_WAITING;
  }

  boolean isSettled() {
    return status() == SubmissionStatus.SUBMISSION_STATUS_SETTLED;
  }

  boolean isHeldBy(String attemptId) {
    return isRunning() && told.getAttemptId().equals(attemptId);
  }

  boolean isHeldBy(String attemptId, String owner) {
    return isHeldBy(attemptId) && told.getLease().getOwner().equals(owner);
  }

  boolean isInputApplied() {
    return told.hasInputAppliedAt();
  }

  /** Under a lease that has run out, or with a request that it be taken over which is due. */
  boolean isRecoverable() {
    return isRunning() && (told.hasRecoveryRequestedAt() ? recoveryDue : leaseEnded);
  }

  /** How many attempts whoever takes it over next is charged. */
  int takeoverCost() {
    return told.hasRecoveryRequestedAt() && recoveryDue && !recoveryCounted ? 0 : 1;
  }

  /** The turn in the slot; null: none was begun. */
  @Nullable ModelTurn slot() {
    ModelTurn last = null;
    for (ModelTurn turn : turns.values()) {
      last = turn;
    }
    return last;
  }

  void requireUnsettled() {
    if (isSettled()) {
      String outcome = told.getSettlement().getOutcome().name().replace("OUTCOME_", "");
      throw new Denied(
          ErrorReason.ERROR_REASON_ALREADY_SETTLED, "submission_id", id(), "outcome", outcome);
    }
  }

  /** The write token. */
  void requireHeldBy(String attemptId) {
    requireUnsettled();
    if (isHeldBy(attemptId)) {
      return;
    }
    if (isRunning()) {
      throw new Denied(
          ErrorReason.ERROR_REASON_STALE_ATTEMPT,
          "attempt_id",
          attemptId,
          "current_attempt_id",
          told.getAttemptId(),
          "current_owner",
          told.getLease().getOwner());
    }
    throw new Denied(ErrorReason.ERROR_REASON_STALE_ATTEMPT, "attempt_id", attemptId);
  }

  void hold(String attemptId, String owner) {
    leaseEnded = false;
    told =
        told.toBuilder()
            .setStatus(SubmissionStatus.SUBMISSION_STATUS_RUNNING)
            .setAttemptId(attemptId)
            .setLease(
                Lease.newBuilder()
                    .setOwner(owner)
                    .setExpiresAt(Told.TIME)
                    .setRemaining(com.google.protobuf.Duration.getDefaultInstance()))
            .build();
    markers.put(
        attemptId,
        AttemptMarker.newBuilder()
            .setAttemptId(attemptId)
            .setOwner(owner)
            .setStartedAt(Told.TIME)
            .build());
  }

  /** From now on nobody holds it. */
  void release(AttemptEnd end, String reason, SubmissionStatus status) {
    endMarker(end, reason, "");
    told = told.toBuilder().clearAttemptId().clearLease().setStatus(status).build();
    leaseEnded = false;
  }

  void endMarker(AttemptEnd end, String reason, String nextAttemptId) {
    markers.computeIfPresent(
        told.getAttemptId(),
        (id, marker) ->
            marker.toBuilder()
                .setEnd(end)
                .setEndedAt(Told.TIME)
                .setReason(reason)
                .setNextAttemptId(nextAttemptId)
                .build());
  }

  void forgetRecovery() {
    told = told.toBuilder().clearRecoveryRequestedAt().clearRecoveryReason().build();
    recoveryDue = false;
    recoveryCounted = false;
  }

  void count(int attempts) {
    told = told.toBuilder().setAttemptCount(told.getAttemptCount() + attempts).build();
  }

  /** Those of the last suspension, then answers that came before their questions. */
  List<ModelWait> currentWaits() {
    List<ModelWait> current = new ArrayList<>();
    for (ModelWait wait : waits.values()) {
      if (wait.suspension() == 0 || wait.suspension() == suspensions) {
        current.add(wait);
      }
    }
    current.sort(
        Comparator.comparing((ModelWait wait) -> wait.suspension() == 0)
            .thenComparing(ModelWait::position)
            .thenComparing(wait -> wait.told().getWaitId()));
    return current;
  }

  /** As callers are told of it now. */
  Submission view() {
    Submission.Builder view = told.toBuilder();
    currentWaits().forEach(wait -> view.addWaits(wait.told()));
    boolean isToCome = !isRunning() && !isSettled();
    return isToCome && delay != Delay.NONE ? view.setNotBefore(Told.TIME).build() : view.build();
  }
}
