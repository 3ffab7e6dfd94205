package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_KEEP_FIRST;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_REFUSE_OTHER;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_REPLACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventsOpen;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an AppendEventsSession call promises; what it meets is in {@link EventSessionMeetsTest}. */
final class AppendEventsSessionTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  private EventSession open(AppendMode mode) {
    return EventSession.on(SERVER.channel()).open(run.id, mode);
  }

  @Test
  void events_are_durable_when_an_answer_says_so_while_the_call_goes_on() {
    EventSession session = open(APPEND_MODE_KEEP_FIRST);
    for (int seq = 0; seq < 20; seq++) {
      session.append(decision(seq, "" + seq));
      session.awaitDurable(seq + 1);
      assertEquals(seq + 1, run.events().size());
    }
    AppendEventsSessionResponse last = session.halfClose().awaitEnd();
    assertEquals(20, last.getDurableEvents());
    assertEquals(20, last.getInserted());
  }

  @Test
  void one_answer_may_cover_many_messages_and_their_order_is_the_order_of_insertion() {
    EventSession session = open(APPEND_MODE_KEEP_FIRST);
    for (int seq = 0; seq < 1_000; seq++) {
      session.append(seq % 2 == 0 ? result(0, "0") : call(seq, "" + seq));
    }
    session.append(call(0, "1"));
    AppendEventsSessionResponse last = session.halfClose().awaitEnd();
    assertEquals(1_001, last.getDurableEvents());
    assertEquals(List.of("0:tool_result", "0:tool_call", "1:tool_call"), run.order().subList(0, 3));
    assertTrue(session.answers().size() < 900, session.answers().size() + " answers");
  }

  @Test
  void messages_with_many_events_and_with_none_are_taken() {
    Event[] many =
        LongStream.range(1, 1_001).mapToObj(seq -> decision(seq, "1")).toArray(Event[]::new);
    EventSession session = open(APPEND_MODE_REFUSE_OTHER);
    session.append(decision(0, "1")).append().append(many).append(decision(1_001, "1"));
    assertEquals(1_002, session.halfClose().awaitEnd().getDurableEvents());
    assertEquals(1_002, run.events().size());
  }

  @Test
  void the_first_message_may_carry_events_and_the_mode_is_replace_unless_it_is_said() {
    EventSession session = EventSession.on(SERVER.channel());
    session.send(
        AppendEventsSessionRequest.newBuilder()
            .setOpen(EventsOpen.newBuilder().setRunId(run.id))
            .addEvents(decision(0, "1"))
            .build());
    session.append(decision(0, "2")).append(decision(0, "3")).append(decision(0, "3"));
    AppendEventsSessionResponse last = session.halfClose().awaitEnd();
    assertEquals(4, last.getDurableEvents());
    assertEquals(1, last.getInserted());
    assertEquals(2, last.getReplaced());
    assertEquals(List.of(3L), session.unchangedEvents());
    assertEquals(List.of("3"), run.payloads());
  }

  @Test
  void events_that_were_recorded_already_are_told_by_their_number() {
    run.append(decision(3, "1"), decision(5, "1"), decision(9, "1"));
    EventSession session = open(APPEND_MODE_KEEP_FIRST);
    session.append(decision(0, "2"), decision(1, "2"));
    for (int seq = 2; seq < 10; seq++) {
      session.append(decision(seq, "2"));
    }
    AppendEventsSessionResponse last = session.halfClose().awaitEnd();
    assertEquals(List.of(3L, 5L, 9L), session.unchangedEvents());
    assertEquals(7, last.getInserted());
    assertEquals(List.of("2", "2", "2", "1", "2", "1", "2", "2", "2", "1"), run.payloads());
  }

  @Test
  void refused_message_is_found_among_many_and_all_before_it_is_stored_and_nothing_after() {
    run.append(decision(300, "\"first\""));
    EventSession session = open(APPEND_MODE_REFUSE_OTHER);
    for (int seq = 0; seq < 500; seq++) {
      session.append(decision(seq, "" + seq), call(seq, "" + seq));
    }
    session
        .awaitRefusal()
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_EVENT_CONFLICT,
            "durable_events",
            "600",
            "run_id",
            run.id,
            "seq",
            "300",
            "kind",
            "model_decision");
    List<String> expected =
        new ArrayList<>(
            IntStream.range(0, 300).boxed().flatMap(AppendEventsSessionTest::both).toList());
    expected.add("\"first\"");
    assertEquals(expected, run.payloads());
  }

  private static Stream<String> both(Integer seq) {
    return Stream.of("" + seq, "" + seq);
  }

  @Test
  void call_in_the_name_of_a_lost_claim_ends_and_what_follows_is_not_stored() {
    run.openClaimed("claim-1", "gateway-1");
    EventSession session =
        EventSession.on(SERVER.channel()).open(run.id, APPEND_MODE_REPLACE, "claim-1");
    session.append(decision(0, "1")).awaitDurable(1);
    run.expireLease(SERVER);
    run.claim("claim-2", "gateway-2");
    session.append(decision(0, "2")).append(decision(1, "2"));
    session
        .awaitRefusal()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_RUN_CLAIMED,
            "durable_events",
            "1",
            "claim_id",
            "claim-2");
    assertEquals(List.of("1"), run.payloads());
  }

  @Test
  void claim_on_a_run_that_is_not_there_is_refused() {
    EventSession.on(SERVER.channel())
        .open(run.id, APPEND_MODE_REPLACE, "claim-1")
        .append(decision(0, "1"))
        .awaitRefusal()
        .mustBe(
            Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "durable_events", "0");
  }

  @Test
  void open_comes_first_and_once() {
    EventSession.on(SERVER.channel())
        .append(decision(0, "1"))
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "open");
    EventSession.on(SERVER.channel())
        .halfClose()
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "open");
    open(APPEND_MODE_REPLACE)
        .append(decision(0, "1"))
        .open(run.id, APPEND_MODE_REPLACE)
        .append(decision(1, "1"))
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "open",
            "durable_events",
            "1");
    assertEquals(List.of("0:model_decision"), run.order());
  }

  @Test
  void call_that_only_opens_ends_well_and_makes_no_run() {
    assertEquals(0, open(APPEND_MODE_REPLACE).halfClose().awaitEnd().getDurableEvents());
    assertEquals(List.of(), run.events());
  }

  @Test
  void message_that_no_append_takes_ends_the_call_after_what_came_before_is_stored() {
    for (Event[] bad :
        List.of(
            new Event[] {decision(2, "not JSON")},
            new Event[] {decision(2, "1"), decision(2, "1")},
            new Event[] {decision(-1, "1")},
            new Event[] {Event.newBuilder().setSeq(2).build()})) {
      JournalledRun one = new JournalledRun(SERVER);
      EventSession.on(SERVER.channel())
          .open(one.id, APPEND_MODE_REPLACE)
          .append(decision(0, "1"))
          .append(decision(1, "1"))
          .append(bad)
          .append(decision(3, "1"))
          .awaitRefusal()
          .mustBe(
              Status.Code.INVALID_ARGUMENT,
              ErrorReason.ERROR_REASON_INVALID_FIELD,
              "durable_events",
              "2");
      assertEquals(List.of("0:model_decision", "1:model_decision"), one.order());
    }
  }

  @Test
  void message_with_too_many_events_is_too_large() {
    Event[] many =
        LongStream.range(0, 1_001).mapToObj(seq -> decision(seq, "1")).toArray(Event[]::new);
    open(APPEND_MODE_REPLACE)
        .append(many)
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_TOO_LARGE, "field", "events");
    assertEquals(List.of(), run.events());
  }
}
