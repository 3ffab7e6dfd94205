package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListRecoverableRequest;
import io.agentjournal.v1.ListRecoverableResponse;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.ListSubmissionsResponse;
import io.agentjournal.v1.ReadToolRequestRequest;
import io.agentjournal.v1.ReadToolRequestResponse;
import io.agentjournal.v1.Recoverable;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionFilter;
import java.util.Comparator;
import java.util.List;

/** What is listed of the world. */
final class Lists {
  private Lists() {}

  /** Of one session. */
  static Answer submissions(World world, ListSubmissionsRequest request) {
    List<Submission> listed =
        world.submissions.values().stream()
            .filter(one -> one.told.getSessionKey().equals(request.getSessionKey()))
            .filter(one -> passes(one, request.getFilter()))
            .map(ModelSubmission::view)
            .sorted(Comparator.comparing(Submission::getSequence))
            .toList();
    return Told.of(ListSubmissionsResponse.getDefaultInstance(), "submissions", listed);
  }

  private static boolean passes(ModelSubmission submission, SubmissionFilter filter) {
    return switch (filter) {
      case SUBMISSION_FILTER_RUNNING -> submission.isRunning();
      case SUBMISSION_FILTER_EXPIRED -> submission.isRunning() && submission.leaseEnded;
      case SUBMISSION_FILTER_UNSETTLED -> !submission.isSettled();
      case SUBMISSION_FILTER_UNSPECIFIED -> true;
      case SUBMISSION_FILTER_RUNNABLE, SUBMISSION_FILTER_STUCK, UNRECOGNIZED ->
          throw new IllegalArgumentException("not in the model: " + filter);
    };
  }

  static Answer recoverable(World world, ListRecoverableRequest request) {
    List<Recoverable> listed =
        world.submissions.values().stream()
            .filter(ModelSubmission::isRecoverable)
            .filter(one -> request.getQueuesList().contains(one.told.getQueue()))
            .map(
                one ->
                    Recoverable.newBuilder()
                        .setSubmission(one.view())
                        .setPlan(Plans.plan(world, one, "", false))
                        .build())
            .toList();
    return Told.of(ListRecoverableResponse.getDefaultInstance(), "recoverable", listed);
  }

  /** Of the slot's turn. */
  static Answer toolRequest(World world, ReadToolRequestRequest request) {
    ModelTurn slot = world.submission(request.getSubmissionId()).slot();
    if (slot == null) {
      throw new Denied(ErrorReason.ERROR_REASON_TURN_NOT_FOUND);
    }
    return Answer.of(
        slot.slot.getCallsList().stream()
            .map(
                call ->
                    ReadToolRequestResponse.newBuilder()
                        .setCall(call)
                        .setArgumentsSizeBytes(call.getArguments().size())
                        .build())
            .toArray(Message[]::new));
  }
}
