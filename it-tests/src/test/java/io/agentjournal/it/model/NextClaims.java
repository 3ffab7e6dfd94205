package io.agentjournal.it.model;

import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.ClaimSource;
import io.agentjournal.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;

/** What the contract says of a worker that takes what there is. */
final class NextClaims {
  private NextClaims() {}

  /**
   * Each way in which it may end.
   *
   * @param isAlone no other call is under way: what is recoverable comes first, and if there is
   *     anything it gets it
   */
  static List<Possible> possible(World world, ClaimNextSubmissionRequest request, boolean isAlone) {
    World.Given before = world.given.get(request.getAttemptId());
    if (before != null) {
      return List.of(repeat(world, request, before));
    }
    List<Possible> first = new ArrayList<>();
    List<Possible> second = new ArrayList<>();
    for (String id : world.submissions.keySet()) {
      World claimed = world.copy();
      ModelSubmission candidate = claimed.submission(id);
      boolean isTakeover = candidate.isRunning();
      boolean isWanted =
          request.getSource()
              != (isTakeover
                  ? ClaimSource.CLAIM_SOURCE_QUEUED
                  : ClaimSource.CLAIM_SOURCE_RECOVERABLE);
      if (isWanted
          && !candidate.told.hasAbortRequestedAt()
          && tryClaim(claimed, candidate, request)) {
        (isTakeover ? first : second)
            .add(new Possible(toldNext(claimed, candidate, request, true), claimed));
      }
    }
    List<Possible> possible = new ArrayList<>(first);
    if (first.isEmpty() || !isAlone) {
      possible.addAll(second);
    }
    if (possible.isEmpty() || !isAlone) {
      possible.add(
          new Possible(Answer.of(ClaimNextSubmissionResponse.getDefaultInstance()), world));
    }
    return possible;
  }

  private static boolean tryClaim(
      World world, ModelSubmission candidate, ClaimNextSubmissionRequest request) {
    String owner = request.getLease().getOwner();
    try {
      if (!Claims.claim(world, candidate, request.getAttemptId(), owner)) {
        return false;
      }
    } catch (Denied notThisOne) {
      return false;
    }
    world.given.put(request.getAttemptId(), new World.Given(candidate.id(), owner));
    return true;
  }

  private static Possible repeat(
      World world, ClaimNextSubmissionRequest request, World.Given before) {
    ModelSubmission submission = world.submission(before.submissionId());
    String owner = request.getLease().getOwner();
    if (!submission.isHeldBy(request.getAttemptId()) || !before.owner().equals(owner)) {
      return new Possible(new Denied(ErrorReason.ERROR_REASON_ATTEMPT_USED).answer(), world);
    }
    return new Possible(toldNext(world, submission, request, false), world);
  }

  private static Answer toldNext(
      World world,
      ModelSubmission submission,
      ClaimNextSubmissionRequest request,
      boolean applied) {
    return Claims.told(
        ClaimNextSubmissionResponse.getDefaultInstance(),
        applied,
        world,
        submission,
        request.getAttemptId());
  }
}
