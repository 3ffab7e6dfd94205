package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetEventRequest;
import io.agentjournal.v1.GetEventResponse;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetEventTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void hit_answers_the_event_and_a_miss_answers_none() {
    run.append(result(7, "{\"ok\":true}"));

    GetEventResponse hit = get(7, EventKind.EVENT_KIND_TOOL_RESULT);

    assertEquals("{\"ok\":true}", hit.getEvent().getPayload().getJson());
    assertEquals(11, hit.getEvent().getPayloadSizeBytes());
    assertFalse(hit.getPayloadOmitted());
    assertFalse(get(7, EventKind.EVENT_KIND_TOOL_CALL).hasEvent());
    assertFalse(get(8, EventKind.EVENT_KIND_TOOL_RESULT).hasEvent());
  }

  @Test
  void payload_above_one_mebibyte_is_left_out_and_its_size_is_told() {
    run.append(decision(0, "\"" + "x".repeat((1 << 20) - 2) + "\""));
    run.append(decision(1, "\"" + "x".repeat((1 << 20) - 1) + "\""));

    GetEventResponse fits = get(0, EventKind.EVENT_KIND_MODEL_DECISION);
    GetEventResponse large = get(1, EventKind.EVENT_KIND_MODEL_DECISION);

    assertEquals(1 << 20, fits.getEvent().getPayload().getJson().length());
    assertTrue(large.getPayloadOmitted());
    assertFalse(large.getEvent().hasPayload());
    assertEquals((1 << 20) + 1, large.getEvent().getPayloadSizeBytes());
  }

  @Test
  void kind_must_be_one() {
    Refused.from(() -> get(0, EventKind.EVENT_KIND_UNSPECIFIED))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "kind");
  }

  private GetEventResponse get(long seq, EventKind kind) {
    return run.journal.getEvent(
        GetEventRequest.newBuilder().setRunId(run.id).setSeq(seq).setKind(kind).build());
  }
}
