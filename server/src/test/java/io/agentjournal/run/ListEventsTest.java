package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.event;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetReplayIndexRequest;
import io.agentjournal.v1.GetReplayIndexResponse;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.Payload;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListEventsTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  private static final int PART = 1 << 20;

  @Test
  void last_message_is_the_end_and_counts_the_events() {
    run.append(decision(0, "1"), call(0, "2"), result(0, "3"));

    List<ListEventsResponse> messages = messages();

    ListEventsResponse last = messages.get(messages.size() - 1);
    assertTrue(last.hasEnd());
    assertEquals(0, last.getEventsCount());
    assertEquals(3, last.getEnd().getEventCount());
    messages.subList(0, messages.size() - 1).forEach(message -> assertFalse(message.hasEnd()));
  }

  @Test
  void run_without_events_has_none_opened_or_not() {
    assertEquals(0, messages().get(0).getEnd().getEventCount());
    run.open();
    assertEquals(0, messages().get(0).getEnd().getEventCount());
  }

  @Test
  void range_of_seq_is_half_open_and_kinds_select() {
    for (long seq = 0; seq < 5; seq++) {
      run.append(decision(seq, "1"), call(seq, "2"), result(seq, "3"));
    }

    assertEquals(
        List.of("1:tool_call", "1:tool_result", "2:tool_call", "2:tool_result"),
        order(
            request()
                .setStartSeq(1)
                .setEndSeq(3)
                .addKinds(EventKind.EVENT_KIND_TOOL_RESULT)
                .addKinds(EventKind.EVENT_KIND_TOOL_CALL)));
    assertEquals(3, order(request().setStartSeq(4)).size());
    assertEquals(3, order(request().setEndSeq(1)).size());
    assertEquals(List.of(), order(request().setStartSeq(3).setEndSeq(3)));
    assertEquals(List.of(), order(request().setEndSeq(0)));
  }

  @Test
  void what_is_no_range_or_no_kind_is_refused() {
    for (ListEventsRequest.Builder request :
        List.of(
            request().setStartSeq(-1),
            request().setEndSeq(-1),
            request().addKinds(EventKind.EVENT_KIND_UNSPECIFIED),
            request().setRunId(""))) {
      Refused.from(() -> order(request))
          .mustBe(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD);
    }
  }

  @Test
  void payload_of_16_mebibytes_comes_in_parts_that_end_between_code_points() {
    String json = "\"x" + "é😀".repeat(((16 << 20) - 3) / 6) + "\"";
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    byte[] data = new byte[3 * PART + 1];
    run.append(decision(0, "1"));
    run.append(result(0, json));
    run.append(
        Event.newBuilder()
            .setKind(EventKind.EVENT_KIND_VERIFICATION)
            .setPayload(Payload.newBuilder().setData(ByteString.copyFrom(data)))
            .build());
    run.append(decision(1, "2"));

    List<ListEventsResponse> messages = messages();

    StringBuilder text = new StringBuilder();
    ByteString raw = ByteString.EMPTY;
    long offset = 0;
    for (ListEventsResponse message : messages) {
      assertTrue(message.getSerializedSize() < 4 << 20);
      for (Event event : message.getEventsList()) {
        if (event.getKind() == EventKind.EVENT_KIND_TOOL_RESULT) {
          assertEquals(offset, event.getPayloadOffset());
          assertEquals(bytes.length, event.getPayloadSizeBytes());
          offset += event.getPayload().getJsonBytes().size();
          text.append(event.getPayload().getJson());
        } else if (event.getKind() == EventKind.EVENT_KIND_VERIFICATION) {
          raw = raw.concat(event.getPayload().getData());
        }
      }
    }
    assertTrue(json.contentEquals(text), "the parts are the whole");
    assertEquals(ByteString.copyFrom(data), raw);
    assertEquals(4, messages.get(messages.size() - 1).getEnd().getEventCount());
    List<String> order = run.order();
    assertEquals("0:model_decision", order.get(0));
    assertEquals("1:model_decision", order.get(order.size() - 1));
  }

  @Test
  void payload_that_is_replaced_in_the_midst_of_its_parts_begins_anew() {
    String before = "\"" + "a".repeat(16 << 20).substring(2) + "\"";
    String after = "\"" + "b".repeat(16 << 20).substring(2) + "\"";
    run.append(result(0, before));
    Iterator<ListEventsResponse> messages = run.journal.listEvents(request().build());
    StringBuilder text = new StringBuilder(messages.next().getEvents(0).getPayload().getJson());

    run.append(result(0, after));

    while (messages.hasNext()) {
      for (Event event : messages.next().getEventsList()) {
        if (event.getPayloadOffset() == 0) {
          text.setLength(0);
        }
        text.append(event.getPayload().getJson());
      }
    }
    String read = text.toString();
    assertTrue(read.equals(after), "the new one, and whole");
  }

  @Test
  void one_hundred_thousand_events_are_streamed_the_first_at_once() {
    for (long seq = 0; seq < 100_000; seq += 1_000) {
      run.append(
          LongStream.range(seq, seq + 1_000)
              .mapToObj(each -> decision(each, Long.toString(each)))
              .toArray(Event[]::new));
    }
    Iterator<GetReplayIndexResponse> messages =
        run.journal.getReplayIndex(GetReplayIndexRequest.newBuilder().setRunId(run.id).build());

    GetReplayIndexResponse first = messages.next();
    assertTrue(first.getEventsCount() <= 1_000, "a page, not the whole");
    long seq = 0;
    for (GetReplayIndexResponse message = first; !message.hasEnd(); message = messages.next()) {
      assertTrue(message.getSerializedSize() < 4 << 20);
      for (Event event : message.getEventsList()) {
        assertEquals(seq, event.getSeq());
        assertEquals(Long.toString(seq), event.getPayload().getJson());
        seq++;
      }
    }
    assertEquals(100_000, seq);
  }

  private List<ListEventsResponse> messages() {
    List<ListEventsResponse> messages = new ArrayList<>();
    run.journal.listEvents(request().build()).forEachRemaining(messages::add);
    return messages;
  }

  private List<String> order(ListEventsRequest.Builder request) {
    return run.events(request.build()).stream().map(JournalledRun::text).toList();
  }

  private ListEventsRequest.Builder request() {
    return ListEventsRequest.newBuilder().setRunId(run.id);
  }
}
