package io.agentjournal.it.model;

import com.google.protobuf.Duration;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimSource;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import java.util.List;

/** Calls about a submission as a whole, as somebody might make them. */
final class SubmissionMoves {
  private static final Duration HOUR = Duration.newBuilder().setSeconds(3_600).build();

  private final Draft draft;

  SubmissionMoves(Draft draft) {
    this.draft = draft;
  }

  Call admit(String id) {
    ModelSubmission there = draft.world.submissions.get(id);
    AdmitSubmissionRequest.Builder request =
        AdmitSubmissionRequest.newBuilder()
            .setSubmissionId(id)
            .setSessionKey(Draft.sessionOf(id))
            .setKind(draft.kind(id))
            .setQueue("q")
            .setInput(draft.text("input"))
            .setMaxAttempts(
                there == null ? 1 + draft.random.nextInt(4) : there.admission.getMaxAttempts())
            .setTimeout(HOUR);
    if (draft.chance(6)) {
      request.setDelay(HOUR);
    }
    if (there != null && draft.chance(40)) {
      request.setInput(draft.text("another"));
    }
    return Call.of(SubmissionServiceGrpc.getAdmitSubmissionMethod(), request.build());
  }

  Call deleteSession(String id) {
    return Call.of(
        SessionServiceGrpc.getDeleteSessionMethod(),
        DeleteSessionRequest.newBuilder().setSessionKey(Draft.sessionOf(id)).build());
  }

  Call claim(String id) {
    return Call.of(
        SubmissionServiceGrpc.getClaimSubmissionMethod(),
        ClaimSubmissionRequest.newBuilder()
            .setAttempt(
                AttemptRef.newBuilder().setSubmissionId(id).setAttemptId(draft.claimant(id)))
            .setLease(draft.lease())
            .build());
  }

  Call claimNext() {
    List<ClaimSource> sources =
        List.of(
            ClaimSource.CLAIM_SOURCE_UNSPECIFIED,
            ClaimSource.CLAIM_SOURCE_UNSPECIFIED,
            ClaimSource.CLAIM_SOURCE_QUEUED,
            ClaimSource.CLAIM_SOURCE_RECOVERABLE);
    return Call.of(
        SubmissionServiceGrpc.getClaimNextSubmissionMethod(),
        ClaimNextSubmissionRequest.newBuilder()
            .setAttemptId(draft.freshAttempt())
            .setLease(draft.lease())
            .addQueues("q")
            .setSource(draft.oneOf(sources))
            .build());
  }

  Call takeOver(String id) {
    TakeOverRequest.Builder request =
        TakeOverRequest.newBuilder()
            .setSubmissionId(id)
            .setAttemptId(draft.claimant(id))
            .setLease(draft.lease())
            .setForce(draft.chance(30));
    if (draft.chance(30)) {
      request.setReason("operator");
    }
    return Call.of(RecoveryServiceGrpc.getTakeOverMethod(), request.build());
  }

  Call replace(String id) {
    ReplaceTurnJournalAttemptRequest.Builder request =
        ReplaceTurnJournalAttemptRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setNextAttemptId(draft.claimant(id))
            .setRequireExpiredLease(draft.chance(40));
    if (draft.chance(50)) {
      request.setLease(draft.lease());
    }
    if (draft.chance(30)) {
      request.setReason("watchdog");
    }
    return Call.of(TurnJournalServiceGrpc.getReplaceTurnJournalAttemptMethod(), request.build());
  }

  Call markInput(String id) {
    String session = Draft.sessionOf(id);
    MarkInputAppliedRequest.Builder request =
        MarkInputAppliedRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .addAllEntries(draft.entries(session, 2));
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    return Call.of(SubmissionServiceGrpc.getMarkInputAppliedMethod(), request.build());
  }

  Call renew(String id) {
    return Call.of(
        SubmissionServiceGrpc.getRenewLeasesMethod(),
        RenewLeasesRequest.newBuilder()
            .addAttempts(draft.attempt(id))
            .addAttempts(draft.attempt(draft.submissionId()))
            .build());
  }

  Call requestRecovery(String id) {
    RequestRecoveryRequest.Builder request =
        RequestRecoveryRequest.newBuilder().setReason("restart");
    switch (draft.random.nextInt(3)) {
      case 0 -> request.setAttempt(draft.attempt(id));
      case 1 -> request.setSubmissionId(id);
      default -> request.setOwner(draft.owner());
    }
    if (draft.chance(25)) {
      request.setDelay(HOUR);
    }
    return Call.of(SubmissionServiceGrpc.getRequestRecoveryMethod(), request.build());
  }

  Call requeue(String id) {
    RequeueSubmissionRequest.Builder request =
        RequeueSubmissionRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setReason(draft.chance(70) ? "busy" : "");
    if (draft.chance(10)) {
      request.setDelay(HOUR);
    }
    return Call.of(SubmissionServiceGrpc.getRequeueSubmissionMethod(), request.build());
  }

  Call suspend(String id) {
    SuspendSubmissionRequest.Builder request =
        SuspendSubmissionRequest.newBuilder().setAttempt(draft.attempt(id));
    for (String waitId : List.of("w1", "w2")) {
      if (draft.chance(55)) {
        NewWait.Builder wait =
            NewWait.newBuilder()
                .setWaitId(waitId)
                .setQuestion(draft.text(draft.chance(90) ? "may I?" : "may I not?"));
        request.addWaits(draft.chance(20) ? wait.setTimeout(HOUR) : wait);
      }
    }
    if (request.getWaitsCount() == 0 || draft.chance(20)) {
      request.setDelay(HOUR);
    }
    return Call.of(SubmissionServiceGrpc.getSuspendSubmissionMethod(), request.build());
  }

  Call resume(String id) {
    return Call.of(
        SubmissionServiceGrpc.getResumeSubmissionMethod(),
        ResumeSubmissionRequest.newBuilder()
            .setSubmissionId(id)
            .setWaitId(draft.chance(50) ? "w1" : "w2")
            .setAnswer(draft.text(draft.chance(75) ? "yes" : "no"))
            .setAnsweredBy("somebody")
            .build());
  }

  Settlement settlement() {
    if (draft.chance(70)) {
      return Settlement.newBuilder()
          .setOutcome(Outcome.OUTCOME_COMPLETED)
          .setResult(draft.text("result"))
          .build();
    }
    return failure();
  }

  private boolean isHalfDone(String id) {
    ModelTurn slot = draft.slot(id);
    return slot != null && !slot.isCommitted();
  }

  private Settlement failure() {
    return Settlement.newBuilder()
        .setOutcome(draft.chance(80) ? Outcome.OUTCOME_FAILED : Outcome.OUTCOME_ABORTED)
        .setFailure(Failure.newBuilder().setCode("code").setMessage("message"))
        .build();
  }

  Call settle(String id) {
    String session = Draft.sessionOf(id);
    SettleSubmissionRequest.Builder request =
        SettleSubmissionRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setSettlement(isHalfDone(id) && draft.chance(60) ? failure() : settlement())
            .addAllEntries(draft.entries(session, 1));
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    return Call.of(SubmissionServiceGrpc.getSettleSubmissionMethod(), request.build());
  }

  /** As it was settled, by an attempt that need not be the one. */
  Call settleAgain(String id) {
    ModelSubmission submission = draft.world.submission(id);
    List<String> attempts = List.copyOf(submission.markers.keySet());
    return Call.of(
        SubmissionServiceGrpc.getSettleSubmissionMethod(),
        SettleSubmissionRequest.newBuilder()
            .setAttempt(
                AttemptRef.newBuilder()
                    .setSubmissionId(id)
                    .setAttemptId(
                        attempts.isEmpty() || draft.chance(30) ? "unknown" : draft.oneOf(attempts)))
            .setSettlement(submission.settledAs)
            .build());
  }

  Call abort(String id) {
    RequestAbortRequest.Builder request =
        RequestAbortRequest.newBuilder().setReason(draft.chance(70) ? "stop" : "stop it");
    if (draft.chance(75)) {
      request.setSubmissionId(id);
    } else {
      request.setSessionKey(Draft.sessionOf(id));
    }
    return Call.of(SubmissionServiceGrpc.getRequestAbortMethod(), request.build());
  }
}
