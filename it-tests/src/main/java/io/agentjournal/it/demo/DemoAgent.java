package io.agentjournal.it.demo;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceBlockingStub;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;

/**
 * An agent, a process of its own: claims the submission, does what the plan says, streams what the
 * model says at the speed of tokens. It keeps nothing on disk and knows nothing of the agent before
 * it. Arguments: target, attempt id, {@code work} or {@code zombie}. Prints what it does.
 */
final class DemoAgent {
  private static final int LEASE_SECONDS = 4;

  private final JournalClient client;
  private final AttemptRef attempt;
  private final SubmissionServiceBlockingStub submissions;
  private final TurnJournalServiceBlockingStub turns;

  private DemoAgent(JournalClient client, String attemptId) {
    this.client = client;
    this.attempt =
        AttemptRef.newBuilder().setSubmissionId(Script.SUBMISSION).setAttemptId(attemptId).build();
    this.submissions = SubmissionServiceGrpc.newBlockingStub(client.channel());
    this.turns = TurnJournalServiceGrpc.newBlockingStub(client.channel());
  }

  public static void main(String[] arguments) throws InterruptedException {
    try (JournalClient client = JournalClient.to(arguments[0]).plaintext().build()) {
      DemoAgent agent = new DemoAgent(client, arguments[1]);
      if (arguments[2].equals("zombie")) {
        agent.writeAsIfNothingHadHappened();
      } else {
        agent.work();
      }
    }
  }

  private void work() throws InterruptedException {
    RecoveryPlan plan = claim().getPlan();
    say("plan: " + plan.getAction() + " (" + plan.getBecause() + ")");
    if (plan.getAction() == RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM) {
      stream(plan.getStream().getStreamKey());
    } else {
      stream(begin());
    }
    commit();
  }

  /** Waits for as long as somebody else's lease lives. */
  private ClaimSubmissionResponse claim() throws InterruptedException {
    while (true) {
      try {
        ClaimSubmissionResponse claimed =
            submissions.claimSubmission(
                ClaimSubmissionRequest.newBuilder().setAttempt(attempt).setLease(lease()).build());
        say("holds the submission as " + attempt.getAttemptId());
        return claimed;
      } catch (StatusRuntimeException e) {
        JournalException refused = JournalException.of(e);
        if (refused.reason() != ErrorReason.ERROR_REASON_LEASE_HELD) {
          throw refused;
        }
        long millis = Long.parseLong(String.valueOf(refused.fact("remaining_ms")));
        say(
            "waits: the lease of "
                + refused.fact("attempt_id")
                + " lives for "
                + millis
                + " ms more");
        TimeUnit.MILLISECONDS.sleep(Math.max(1, millis));
      }
    }
  }

  private LeaseRequest lease() {
    return LeaseRequest.newBuilder()
        .setOwner("agent of " + attempt.getAttemptId())
        .setDuration(com.google.protobuf.Duration.newBuilder().setSeconds(LEASE_SECONDS))
        .build();
  }

  private String begin() {
    var unused =
        submissions.markInputApplied(
            MarkInputAppliedRequest.newBuilder()
                .setAttempt(attempt)
                .addEntries(entry("question", "user", "What is a journal for?"))
                .build());
    String streamKey =
        turns
            .beginTurnJournal(
                BeginTurnJournalRequest.newBuilder()
                    .setAttempt(attempt)
                    .setTurnId(Script.TURN)
                    .setStart(ProviderStart.newBuilder().setContentType("text/plain"))
                    .build())
            .getJournal()
            .getStreamKey();
    say("asks the model; its answer lands in stream " + streamKey);
    return streamKey;
  }

  /** From the first token that is not stored: of those that are, the model is not asked again. */
  private void stream(String streamKey) throws InterruptedException {
    try (SegmentWriter writer =
        client
            .writer(streamKey)
            .attempt(attempt.getSubmissionId(), attempt.getAttemptId())
            .resume()
            .open()) {
      int next = Math.toIntExact(writer.startIndex());
      if (next > 0) {
        say("goes on at token " + next + ": " + next + " tokens are not paid for again");
      }
      for (; next < Script.TOKENS.size(); next++) {
        TimeUnit.MILLISECONDS.sleep(1000 / Script.TOKENS_PER_SECOND);
        long unused = writer.append(Script.TOKENS.get(next));
      }
      writer.finish("stop");
    }
  }

  private void commit() {
    Payload answer = Payload.newBuilder().setText(Script.response()).build();
    var unused =
        turns.commitTurnJournal(
            CommitTurnJournalRequest.newBuilder()
                .setAttempt(attempt)
                .setTurnId(Script.TURN)
                .setExpectedNextIndex(Script.TOKENS.size())
                .addEntries(entry("answer", "assistant", Script.response()))
                .setSettle(
                    Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED).setResult(answer))
                .build());
    say("committed the turn, the answer and the settlement in one transaction");
  }

  private static NewEntry entry(String id, String kind, String text) {
    return NewEntry.newBuilder()
        .setEntryId(id)
        .setKind(kind)
        .setPayload(Payload.newBuilder().setText(text))
        .build();
  }

  /** With the write token that it held before it died. */
  private void writeAsIfNothingHadHappened() throws InterruptedException {
    try (SegmentWriter writer =
        client
            .writer(Script.STREAM)
            .attempt(attempt.getSubmissionId(), attempt.getAttemptId())
            .resume()
            .open()) {
      long index = writer.append("brains");
      writer.awaitDurable(index + 1);
      say("wrote token " + index + ", which it must not");
    } catch (JournalException refused) {
      say("refused: " + refused.reason() + " " + refused.facts());
    }
  }

  private static void say(String what) {
    System.out.println(what);
    System.out.flush();
  }
}
