package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.RunStatus;
import io.grpc.Status;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AppendEventsTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void events_are_ordered_by_seq_and_then_by_first_insertion() {
    run.append(result(1, "1"), call(1, "2"));
    run.append(decision(2, "3"));
    run.append(call(0, "4"));
    run.append(result(0, "5"));
    run.append(call(1, "6"));

    assertEquals(
        List.of("0:tool_call", "0:tool_result", "1:tool_result", "1:tool_call", "2:model_decision"),
        run.order());
    assertEquals(List.of("4", "5", "1", "6", "3"), run.payloads());
  }

  @Test
  void same_event_replaces_the_payload_and_a_repeat_changes_nothing() {
    assertEquals(counts(2, 0, 0), run.append(decision(0, "1"), call(0, "2")));
    assertEquals(counts(0, 1, 1), run.append(decision(0, "3"), call(0, "2")));
    assertEquals(counts(0, 0, 2), run.append(decision(0, "3"), call(0, "2")));
    assertEquals(List.of("3", "2"), run.payloads());
  }

  @Test
  void same_bytes_as_text_are_another_payload() {
    run.append(decision(0, "1"));
    Event text = decision(0, "").toBuilder().setPayload(Payload.newBuilder().setText("1")).build();

    assertEquals(counts(0, 1, 0), run.append(text));
    assertEquals(Payload.newBuilder().setText("1").build(), run.events().get(0).getPayload());
  }

  @Test
  void keep_first_keeps_the_first() {
    assertEquals(counts(1, 0, 0), run.append(AppendMode.APPEND_MODE_KEEP_FIRST, decision(0, "1")));
    assertEquals(
        counts(1, 0, 1),
        run.append(AppendMode.APPEND_MODE_KEEP_FIRST, decision(0, "2"), call(0, "3")));
    assertEquals(List.of("1", "3"), run.payloads());
  }

  @Test
  void refuse_other_takes_a_repeat_and_refuses_another_payload_with_all_that_came_with_it() {
    AppendMode mode = AppendMode.APPEND_MODE_REFUSE_OTHER;
    run.append(mode, decision(0, "1"));

    assertEquals(counts(1, 0, 1), run.append(mode, decision(0, "1"), call(0, "2")));
    Refused.from(() -> run.append(mode, result(0, "3"), decision(0, "9"), result(1, "4")))
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_EVENT_CONFLICT,
            "run_id",
            run.id,
            "seq",
            "0",
            "kind",
            "model_decision");
    assertEquals(List.of("0:model_decision", "0:tool_call"), run.order());
    assertEquals(List.of("1", "2"), run.payloads());
  }

  @Test
  void append_works_after_close_and_leaves_the_run_closed() {
    run.open();
    run.close("succeeded");

    run.append(decision(0, "{}"));

    assertEquals(List.of("0:model_decision"), run.order());
    assertEquals(RunStatus.RUN_STATUS_SUCCEEDED, run.get().getStatus());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9007199254740993",
        "1e400",
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"😀\"",
        "{\"b\":1,\"a\":2}",
        "{\"a\":1,\"a\":2}",
        " { } ",
      })
  void json_comes_back_byte_for_byte(String json) {
    run.append(result(0, json));

    assertEquals(List.of(json), run.payloads());
  }

  @Test
  void text_and_bytes_come_back_as_what_they_were_sent() {
    Payload text = Payload.newBuilder().setText("not JSON \u0000 é").build();
    Payload data =
        Payload.newBuilder().setData(ByteString.copyFrom(new byte[] {0, -1, 127})).build();
    run.append(
        Event.newBuilder().setKind(EventKind.EVENT_KIND_APPROVAL).setPayload(text).build(),
        Event.newBuilder().setKind(EventKind.EVENT_KIND_VERIFICATION).setPayload(data).build());

    assertEquals(text, run.events().get(0).getPayload());
    assertEquals(data, run.events().get(1).getPayload());
  }

  @Test
  void absent_payload_is_the_empty_object() {
    run.append(Event.newBuilder().setKind(EventKind.EVENT_KIND_APPROVAL).build());

    assertEquals(List.of("{}"), run.payloads());
  }

  @Test
  void invalid_json_is_refused_with_its_offset_and_nothing_is_stored() {
    refused("events[1].payload", "offset", "6", decision(0, "{}"), call(0, "{\"é\":NaN}"));
    refused("events[0].payload", "offset", "3", decision(0, "[1,]"));
    refused("events[0].payload", "offset", "3", decision(0, "{} {}"));
    refused("events[0].payload", "offset", "0", decision(0, ""));
    assertEquals(List.of(), run.events());
  }

  @Test
  void created_at_is_kept_as_given_and_is_else_the_time_of_the_write() {
    Timestamp given = Timestamp.newBuilder().setSeconds(1).setNanos(123_456_000).build();
    Event first = decision(0, "1").toBuilder().setCreatedAt(given).build();
    run.append(first, call(0, "1"));

    assertEquals(given, run.events().get(0).getCreatedAt());
    assertTrue(run.events().get(1).getCreatedAt().getSeconds() > 1_600_000_000L);
    assertEquals(counts(0, 0, 1), run.append(decision(0, "1")));
    assertEquals(given, run.events().get(0).getCreatedAt());
    Event later = first.toBuilder().setCreatedAt(given.toBuilder().setSeconds(2)).build();
    assertEquals(counts(0, 1, 0), run.append(later));
    assertEquals(2, run.events().get(0).getCreatedAt().getSeconds());
    assertEquals(counts(0, 1, 0), run.append(decision(0, "2")));
    assertTrue(run.events().get(0).getCreatedAt().getSeconds() > 1_600_000_000L);
  }

  @Test
  void claimed_run_takes_events_from_its_claimant_only_also_when_the_lease_has_run_out() {
    run.openClaimed("claim-1", "gateway-1");
    run.appendAs("claim-1", decision(0, "1"));
    run.expireLease(SERVER);
    run.appendAs("claim-1", call(0, "1"));

    for (String claim : List.of("", "claim-0")) {
      Refused.from(() -> run.appendAs(claim, decision(0, "2"), result(0, "1")))
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RUN_CLAIMED,
              "run_id",
              run.id,
              "claim_id",
              "claim-1",
              "owner",
              "gateway-1");
    }
    assertEquals(List.of("1", "1"), run.payloads());
  }

  @Test
  void who_lost_the_run_stays_shut_out_after_its_claimant_has_closed_it() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);
    run.claim("claim-2", "gateway-2");
    run.appendAs("claim-2", decision(0, "1"));
    Refused.from(() -> run.appendAs("claim-1", decision(0, "2")))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
    run.close("succeeded", "claim-2");

    Refused refused = Refused.from(() -> run.appendAs("claim-1", decision(0, "2")));

    refused.mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
    assertFalse(refused.facts().containsKey("claim_id"));
    assertEquals(List.of("1"), run.payloads());
    run.appendAs("claim-2", call(0, "3"));
    run.append(result(0, "4"));
    assertEquals(List.of("1", "3", "4"), run.payloads());
  }

  @Test
  void claim_on_a_run_that_is_not_there_is_refused_and_makes_none() {
    Refused.from(() -> run.appendAs("claim-1", decision(0, "1")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
    run.append(decision(0, "1"));
    Refused.from(() -> run.appendAs("claim-1", decision(0, "2")))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
    assertEquals(List.of("1"), run.payloads());
  }

  @Test
  void seq_is_a_whole_number_of_64_bits_and_not_negative() {
    run.append(decision(Long.MAX_VALUE, "1"), decision(1L << 53 | 1, "2"));

    assertEquals(
        List.of("9007199254740993:model_decision", "9223372036854775807:model_decision"),
        run.order());
    refused("seq", "value", "-1", decision(-1, "1"));
  }

  @Test
  void what_is_not_an_event_is_refused_and_nothing_is_stored() {
    refused("events", "problem", "none");
    refused(
        "events[1].kind",
        "value",
        "EVENT_KIND_UNSPECIFIED",
        decision(0, "1"),
        Event.getDefaultInstance());
    refused(
        "events[0].kind",
        "value",
        "UNRECOGNIZED",
        decision(0, "1").toBuilder().setKindValue(99).build());
    refused("events", "value", "0:model_decision", decision(0, "1"), decision(0, "2"));
    refused(
        "events[0].created_at",
        "problem",
        "not a timestamp",
        decision(0, "1").toBuilder().setCreatedAt(Timestamp.newBuilder().setNanos(-1)).build());
    assertEquals(List.of(), run.events());
  }

  @Test
  void limits_are_named_and_nothing_is_stored() {
    Event[] many =
        LongStream.range(0, 1_001).mapToObj(seq -> decision(seq, "1")).toArray(Event[]::new);
    tooLarge("events", 1_001, 1_000, many);
    String over16Mi = "\"" + "x".repeat(16 << 20) + "\"";
    tooLarge("events[0].payload", over16Mi.length(), 16 << 20, decision(0, over16Mi));
    Event half = decision(0, "\"" + "x".repeat(11 << 20) + "\"");
    AppendEventsRequest over20Mi =
        AppendEventsRequest.newBuilder()
            .setRunId(run.id)
            .addEvents(half)
            .addEvents(half.toBuilder().setSeq(1))
            .build();
    tooLarge(
        "request",
        over20Mi.getSerializedSize(),
        20 << 20,
        half,
        half.toBuilder().setSeq(1).build());
    assertEquals(List.of(), run.events());
  }

  @Test
  void one_thousand_events_are_stored_in_one_append() {
    Event[] many =
        LongStream.range(0, 1_000).mapToObj(seq -> decision(seq, "" + seq)).toArray(Event[]::new);

    assertEquals(counts(1_000, 0, 0), run.append(many));
    assertEquals(LongStream.range(0, 1_000).mapToObj(Long::toString).toList(), run.payloads());
  }

  private void refused(String field, String fact, String value, Event... events) {
    Refused.from(() -> run.append(events))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            field,
            fact,
            value);
  }

  private void tooLarge(String field, long size, long limit, Event... events) {
    Refused.from(() -> run.append(events))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            field,
            "size",
            Long.toString(size),
            "limit",
            Long.toString(limit));
  }

  private static AppendEventsResponse counts(int inserted, int replaced, int unchanged) {
    return AppendEventsResponse.newBuilder()
        .setInserted(inserted)
        .setReplaced(replaced)
        .setUnchanged(unchanged)
        .build();
  }
}
