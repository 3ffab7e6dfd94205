package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadToolRequestRequest;
import io.agentjournal.v1.ReadToolRequestResponse;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ReadToolRequestTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();
  private static final int FOUR_MIB = 4 << 20;

  private static List<ReadToolRequestResponse> read(Trial trial, String turn) {
    List<ReadToolRequestResponse> messages = new ArrayList<>();
    trial
        .turns
        .readToolRequest(
            ReadToolRequestRequest.newBuilder().setSubmissionId(trial.id).setTurnId(turn).build())
        .forEachRemaining(messages::add);
    return messages;
  }

  @Test
  void b072_large_arguments_come_whole_in_parts_below_4_mib() {
    byte[] bytes = new byte[10 << 20];
    new Random(7).nextBytes(bytes);
    ByteString large = ByteString.copyFrom(bytes);
    Trial trial = Trial.started(JOURNAL);
    trial.request(
        "a",
        "t1",
        Trial.call("c1").toBuilder().setArguments(large).build(),
        Trial.call("c2"),
        Trial.call("c3").toBuilder().setArguments(ByteString.copyFromUtf8("{}")).build());
    List<ReadToolRequestResponse> messages = read(trial, "");
    ByteString joined = ByteString.EMPTY;
    for (ReadToolRequestResponse message : messages) {
      assertTrue(message.getSerializedSize() < FOUR_MIB);
      if (message.getCall().getToolCallId().equals("c1")) {
        assertEquals(joined.size(), message.getArgumentsOffset());
        assertEquals(large.size(), message.getArgumentsSizeBytes());
        joined = joined.concat(message.getCall().getArguments());
      }
    }
    assertEquals(large, joined);
    List<String> calls =
        messages.stream().map(message -> message.getCall().getToolCallId()).distinct().toList();
    assertEquals(List.of("c1", "c2", "c3"), calls);
    assertEquals("{}", messages.get(messages.size() - 1).getCall().getArguments().toStringUtf8());
  }

  @Test
  void earlier_turns_calls_stay_readable_and_a_turn_without_calls_has_none() {
    Trial trial = Trial.requested(JOURNAL);
    trial.commit("a", "t1");
    trial.begun("a", "t2");
    assertEquals(2, read(trial, "t1").size());
    assertEquals(List.of(), read(trial, "t2"));
    assertEquals(List.of(), read(trial, ""));
  }

  @Test
  void unknown_turn_or_submission_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(() -> read(trial, ""))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND);
    trial.begun("a", "t1");
    Refused.from(() -> read(trial, "t7"))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND, "turn_id", "t7");
    Refused.from(
            () ->
                trial
                    .turns
                    .readToolRequest(
                        ReadToolRequestRequest.newBuilder().setSubmissionId("nobody's").build())
                    .next())
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}
