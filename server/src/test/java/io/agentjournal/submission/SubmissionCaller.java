package io.agentjournal.submission;

import com.google.protobuf.Duration;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.grpc.Channel;
import java.util.UUID;

/** The calls of SubmissionService as tests make them most often. */
public record SubmissionCaller(SubmissionServiceBlockingStub stub) {
  public static final String OWNER = "worker-1";

  public static SubmissionCaller on(Channel channel) {
    return new SubmissionCaller(SubmissionServiceGrpc.newBlockingStub(channel));
  }

  /** An id that no other test has. */
  public static String fresh(String kind) {
    return kind + "-" + UUID.randomUUID();
  }

  public static Payload text(String text) {
    return Payload.newBuilder().setText(text).build();
  }

  public static NewEntry entry(String id, String text) {
    return NewEntry.newBuilder().setEntryId(id).setKind("user").setPayload(text(text)).build();
  }

  public static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  public static Duration millis(int millis) {
    return Duration.newBuilder()
        .setSeconds(millis / 1_000)
        .setNanos(millis % 1_000 * 1_000_000)
        .build();
  }

  public static AttemptRef attempt(String submissionId, String attemptId) {
    return AttemptRef.newBuilder().setSubmissionId(submissionId).setAttemptId(attemptId).build();
  }

  public static LeaseRequest lease(String owner, Duration duration) {
    return LeaseRequest.newBuilder().setOwner(owner).setDuration(duration).build();
  }

  public static AdmitSubmissionRequest.Builder admission(String sessionKey, String submissionId) {
    return AdmitSubmissionRequest.newBuilder()
        .setSubmissionId(submissionId)
        .setSessionKey(sessionKey)
        .setInput(text("do it"));
  }

  public AdmitSubmissionResponse admit(String sessionKey, String submissionId) {
    return stub.admitSubmission(admission(sessionKey, submissionId).build());
  }

  /** A submission in a session of its own; its id. */
  public String admitted() {
    String id = fresh("sub");
    admit(fresh("session"), id);
    return id;
  }

  /** A submission that runs, in a session of its own. */
  public AttemptRef claimed() {
    return claimed(admitted());
  }

  public AttemptRef claimed(String submissionId) {
    AttemptRef attempt = attempt(submissionId, fresh("attempt"));
    claim(attempt);
    return attempt;
  }

  public ClaimSubmissionResponse claim(AttemptRef attempt) {
    return claim(attempt, OWNER, seconds(30));
  }

  public ClaimSubmissionResponse claim(AttemptRef attempt, String owner, Duration duration) {
    return stub.claimSubmission(
        ClaimSubmissionRequest.newBuilder()
            .setAttempt(attempt)
            .setLease(lease(owner, duration))
            .build());
  }

  public SettleSubmissionResponse settle(AttemptRef attempt, Outcome outcome) {
    return stub.settleSubmission(
        SettleSubmissionRequest.newBuilder()
            .setAttempt(attempt)
            .setSettlement(Settlement.newBuilder().setOutcome(outcome))
            .build());
  }

  public Submission submission(String submissionId) {
    return get(submissionId).getSubmission();
  }

  public GetSubmissionResponse get(String submissionId) {
    return stub.getSubmission(
        GetSubmissionRequest.newBuilder().setSubmissionId(submissionId).build());
  }
}
