package io.agentjournal.turn;

import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.PayloadView;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolRequest;
import io.grpc.Status;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Stock clients take answers of less than 4 MiB, and the tests' channel does so too. */
final class LargestAnswersTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final int MIB = 1 << 20;
  private static final int CALLS = 1_000;
  private static final String FIRST = id("a", 500);

  private static String id(String kind, int size) {
    return kind + "x".repeat(size - kind.length());
  }

  /** Everything that is shown with a submission, as large as it may be. */
  private static Trial full() {
    Trial trial = Trial.admitted(JOURNAL, request -> request.setInput(text("i".repeat(MIB))));
    // Answers that came before their questions.
    for (int wait = 0; wait < 16; wait++) {
      trial.submissions.resumeSubmission(
          ResumeSubmissionRequest.newBuilder()
              .setSubmissionId(trial.id)
              .setWaitId(id("w" + wait + "-", 512))
              .setAnswer(text("a".repeat(65_000)))
              .setAnsweredBy(id("by", 512))
              .build());
    }
    trial.claim(FIRST);
    trial.begun(FIRST, "t1");
    trial.start(FIRST, "t1");
    ToolRequest.Builder request = ToolRequest.newBuilder();
    for (int call = 0; call < CALLS; call++) {
      request.addCalls(
          NewToolCall.newBuilder()
              .setToolCallId(id("c%03d".formatted(call), 126))
              .setName(id("n", 126))
              .setIdempotencyKey("k%03d".formatted(call))
              .setArguments(ByteString.copyFrom(new byte[260])));
    }
    trial.request(FIRST, "t1", request.build());
    update(trial, Trial::start);
    return trial;
  }

  private static void update(Trial trial, Function<String, ToolCallUpdate> update) {
    trial.update(
        FIRST,
        "t1",
        IntStream.range(0, CALLS)
            .mapToObj(call -> update.apply(id("c%03d".formatted(call), 126)))
            .toArray(ToolCallUpdate[]::new));
  }

  @Test
  void answers_to_who_takes_over_stay_below_4_mib() {
    Trial trial = full();
    update(trial, call -> Trial.result(call, Trial.entry(id(call.substring(0, 4), 512), "")));
    trial.replace(FIRST, id("b", 512));
    trial.stored.expireLease();
    PlanRecoveryResponse planned =
        trial.recoveries.planRecovery(
            PlanRecoveryRequest.newBuilder().setSubmissionId(trial.id).build());
    assertEquals(CALLS, planned.getPlan().getToolsCount());
    assertEquals(MIB, planned.getSubmission().getInput().getSizeBytes());
    assertTrue(planned.getSubmission().getInput().getOmitted(), "the input gives way");
    String third = id("c", 512);
    trial.recoveries.takeOver(
        TakeOverRequest.newBuilder()
            .setSubmissionId(trial.id)
            .setAttemptId(third)
            .setLease(LeaseRequest.newBuilder().setOwner(id("o", 512)))
            .build());
    trial.stored.expireLease();
    trial.submissions.claimSubmission(
        ClaimSubmissionRequest.newBuilder()
            .setAttempt(
                AttemptRef.newBuilder().setSubmissionId(trial.id).setAttemptId(id("d", 512)))
            .setLease(LeaseRequest.newBuilder().setOwner("o"))
            .build());
    assertEquals(CALLS, trial.journal().getCallsCount());
    assertEquals(trial.id, trial.submission().getSubmissionId());
  }

  @Test
  void answer_to_a_commit_that_settles_stays_below_4_mib() {
    Trial trial = full();
    Settlement settlement =
        Settlement.newBuilder()
            .setOutcome(Outcome.OUTCOME_FAILED)
            .setResult(text("r".repeat(MIB)))
            .build();
    CommitTurnJournalResponse answer =
        trial.turns.commitTurnJournal(trial.committing(FIRST, "t1").setSettle(settlement).build());
    PayloadView result = answer.getSubmission().getSettlement().getResult();
    assertEquals(MIB, result.getSizeBytes());
    assertFalse(answer.getSubmission().getInput().hasPayload());
    assertEquals(
        CALLS, trial.submission().getSettlement().getUnresolvedToolCallIdsCount(), "by itself");
  }

  @Test
  void small_answers_have_all_of_it() {
    Trial trial = Trial.admitted(JOURNAL, request -> request.setInput(text("i".repeat(MIB))));
    trial.claim("a");
    assertEquals(MIB, trial.submission().getInput().getPayload().getText().length());
  }

  @Test
  void ids_names_and_keys_of_a_tool_request_have_256_kib_together() {
    Trial trial = Trial.started(JOURNAL);
    ToolRequest.Builder request = ToolRequest.newBuilder();
    for (int call = 0; call < CALLS; call++) {
      request.addCalls(
          NewToolCall.newBuilder()
              .setToolCallId(id("c%03d".formatted(call), 130))
              .setName(id("n", 130))
              .setIdempotencyKey("k%03d".formatted(call)));
    }
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.request("a", "t1", request.build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "calls",
            "size",
            "264000",
            "limit",
            "262144");
    assertEquals(before, trial.stored.all());
  }
}
