package io.agentjournal.it.model;

import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.DeleteSessionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListPendingSessionDeletionsRequest;
import io.agentjournal.v1.ListPendingSessionDeletionsResponse;
import io.agentjournal.v1.Receipt;
import io.agentjournal.v1.SubmissionKind;
import java.util.List;

/** What the contract says of the deletion of a session, and of what is left of it. */
final class Deletions {
  private Deletions() {}

  /** Of a submission that is gone. */
  record Kept(AdmitSubmissionRequest admission, Receipt receipt) {}

  static Answer delete(World world, DeleteSessionRequest request) {
    ModelSession session = world.session(request.getSessionKey());
    String head = session.head();
    if (head != null) {
      throw new Denied(ErrorReason.ERROR_REASON_SESSION_BUSY, "active_submission_id", head);
    }
    boolean applied = !session.isDeleting;
    session.isDeleting = true;
    return Told.of(DeleteSessionResponse.getDefaultInstance(), "applied", applied);
  }

  /** It was marked. Beside other calls what follows may come before, between and after them. */
  static Possible after(World world, String sessionKey, Answer answer, boolean isAlone) {
    List<Step> steps = List.of(new DeletionGoesOn(sessionKey), new DeletionGoesOn(sessionKey));
    if (!isAlone) {
      return new Possible(answer, world, steps);
    }
    steps.forEach(step -> goOn(world, sessionKey));
    return new Possible(answer, world);
  }

  /** All of the submissions are gone, then the session. */
  static void goOn(World world, String sessionKey) {
    ModelSession session = world.sessions.get(sessionKey);
    if (session == null || !session.isDeleting) {
      return;
    }
    List<ModelSubmission> left =
        world.submissions.values().stream()
            .filter(submission -> submission.told.getSessionKey().equals(sessionKey))
            .toList();
    left.forEach(submission -> delete(world, submission));
    if (left.isEmpty()) {
      world.sessions.remove(sessionKey);
    }
  }

  private static void delete(World world, ModelSubmission submission) {
    world.streams.values().stream()
        .filter(stream -> stream.submissionId.equals(submission.id()) && !stream.isDeleted())
        .forEach(ModelStream::delete);
    world.given.values().removeIf(given -> given.submissionId().equals(submission.id()));
    world.submissions.remove(submission.id());
    if (submission.told.getKind() == SubmissionKind.SUBMISSION_KIND_DISPATCH) {
      world.kept.put(
          submission.id(), new Kept(submission.admission, Submissions.receipt(submission)));
    }
  }

  /** None is under way for longer than its call. */
  static Answer pending(World world, ListPendingSessionDeletionsRequest request) {
    return Told.of(ListPendingSessionDeletionsResponse.getDefaultInstance());
  }
}
