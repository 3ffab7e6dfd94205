package io.agentjournal.it;

import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.Channel;
import java.time.Duration;
import java.util.UUID;

/**
 * A submission of its own in a session of its own, claimed, with a turn whose stream is open.
 *
 * @param lease as the claim gave it
 */
public record StartedTurn(AttemptRef attempt, String turnId, String streamKey, Lease lease) {

  public static StartedTurn on(Channel channel, Duration lease) {
    SubmissionServiceBlockingStub submissions = SubmissionServiceGrpc.newBlockingStub(channel);
    AttemptRef attempt = AttemptRef.newBuilder().setSubmissionId(id()).setAttemptId(id()).build();
    submissions.admitSubmission(
        AdmitSubmissionRequest.newBuilder()
            .setSubmissionId(attempt.getSubmissionId())
            .setSessionKey(id())
            .setInput(Payload.newBuilder().setText("say something"))
            .build());
    Lease claimed =
        submissions
            .claimSubmission(
                ClaimSubmissionRequest.newBuilder()
                    .setAttempt(attempt)
                    .setLease(
                        LeaseRequest.newBuilder()
                            .setOwner("worker-1")
                            .setDuration(
                                com.google.protobuf.Duration.newBuilder()
                                    .setSeconds(lease.toSeconds())))
                    .build())
            .getSubmission()
            .getLease();
    String turnId = id();
    String streamKey =
        TurnJournalServiceGrpc.newBlockingStub(channel)
            .beginTurnJournal(
                BeginTurnJournalRequest.newBuilder()
                    .setAttempt(attempt)
                    .setTurnId(turnId)
                    .setStart(ProviderStart.getDefaultInstance())
                    .build())
            .getJournal()
            .getStreamKey();
    return new StartedTurn(attempt, turnId, streamKey, claimed);
  }

  /** Another attempt has it from now on. */
  public AttemptRef replaceAttempt(Channel channel) {
    String next = id();
    var unused =
        TurnJournalServiceGrpc.newBlockingStub(channel)
            .replaceTurnJournalAttempt(
                ReplaceTurnJournalAttemptRequest.newBuilder()
                    .setAttempt(attempt)
                    .setNextAttemptId(next)
                    .setLease(LeaseRequest.newBuilder().setOwner("worker-2"))
                    .build());
    return attempt.toBuilder().setAttemptId(next).build();
  }

  public void requestAbort(Channel channel) {
    var unused =
        SubmissionServiceGrpc.newBlockingStub(channel)
            .requestAbort(
                RequestAbortRequest.newBuilder()
                    .setSubmissionId(attempt.getSubmissionId())
                    .setReason("a person")
                    .build());
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
