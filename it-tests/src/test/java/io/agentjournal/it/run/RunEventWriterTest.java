package io.agentjournal.it.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.RunEventListener;
import io.agentjournal.client.RunEventWriter;
import io.agentjournal.client.RunMemo;
import io.agentjournal.it.client.UnreliableNetwork;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.RunJournalServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RunEventWriterTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private static final EventKind KIND = EventKind.EVENT_KIND_TOOL_RESULT;

  private final JournalClient client =
      JournalClient.to(SERVER.server().address()).plaintext().build();

  private final String id = "run-" + UUID.randomUUID();

  @AfterEach
  void disconnect() {
    client.close();
  }

  private List<String> stored() {
    List<String> payloads = new ArrayList<>();
    RunJournalServiceGrpc.newBlockingStub(client.channel())
        .listEvents(ListEventsRequest.newBuilder().setRunId(id).build())
        .forEachRemaining(
            message ->
                message.getEventsList().stream()
                    .map(Event::getPayload)
                    .forEach(payload -> payloads.add(payload.getJson())));
    return payloads;
  }

  private static List<String> numbers(int end) {
    return IntStream.range(0, end).mapToObj(Integer::toString).toList();
  }

  @Test
  void events_are_numbered_and_durable_when_it_says_so() throws InterruptedException {
    ConcurrentLinkedQueue<Long> told = new ConcurrentLinkedQueue<>();
    RunEventListener listener =
        new RunEventListener() {
          @Override
          public void durable(long events) {
            told.add(events);
          }
        };
    try (RunEventWriter writer = client.eventWriter(id).listener(listener).open()) {
      for (int seq = 0; seq < 3_000; seq++) {
        assertEquals(seq, writer.append(seq, KIND, "" + seq));
      }
      writer.awaitDurable(3_000);
      assertEquals(3_000, writer.durableEvents());
      assertEquals(numbers(3_000), stored());
    }
    assertEquals(told.stream().sorted().toList(), List.copyOf(told));
    assertTrue(told.contains(3_000L));
  }

  @Test
  void close_makes_durable_what_was_appended() throws InterruptedException {
    try (RunEventWriter writer = client.eventWriter(id).open()) {
      for (int seq = 0; seq < 100; seq++) {
        writer.append(seq, KIND, "" + seq);
      }
    }
    assertEquals(numbers(100), stored());
  }

  @Test
  void writer_that_was_never_used_closes_without_a_word() {
    client.eventWriter(id).open().close();
    assertEquals(List.of(), stored());
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "reset", "blackhole", "lost answers"})
  void nothing_is_lost_or_doubled_whatever_the_network_does(String fault) throws Exception {
    try (UnreliableNetwork network = new UnreliableNetwork(SERVER.server().port());
        JournalClient far = JournalClient.to(network.target()).plaintext().build();
        RunEventWriter writer = far.eventWriter(id).ackTimeout(Duration.ofSeconds(1)).open()) {
      for (int seq = 0; seq < 2_000; seq++) {
        writer.append(seq, KIND, "" + seq);
        if (seq == 500 || seq == 1_500) {
          // By then there is a connection.
          writer.awaitDurable(seq - 200);
          switch (fault) {
            case "cut" -> network.cut();
            case "reset" -> network.reset();
            case "blackhole" -> network.blackhole();
            default -> network.swallowAnswers();
          }
        }
      }
      writer.awaitDurable(2_000);
      assertTrue(network.accepted() > 1);
    }
    assertEquals(numbers(2_000), stored());
  }

  @Test
  void refused_event_ends_the_writer_and_what_came_before_it_is_durable() throws Exception {
    try (RunEventWriter first = client.eventWriter(id).open()) {
      first.append(300, KIND, "\"first\"");
    }
    RunEventWriter second = client.eventWriter(id).open();
    JournalException refused =
        assertThrows(
            JournalException.Refused.class,
            () -> {
              for (int seq = 0; seq < 500; seq++) {
                second.append(seq, KIND, "" + seq);
              }
              second.awaitDurable(500);
            });
    assertEquals(ErrorReason.ERROR_REASON_EVENT_CONFLICT, refused.reason());
    assertEquals("300", refused.fact("seq"));
    assertEquals(300, second.durableEvents());
    second.close();
    assertEquals(301, stored().size());
    assertEquals("\"first\"", stored().get(300));
  }

  @Test
  void what_is_there_is_kept_and_told_by_the_number_of_the_event() throws Exception {
    try (RunEventWriter first = client.eventWriter(id).open()) {
      first.append(7, KIND, "\"first\"");
    }
    ConcurrentLinkedQueue<Long> kept = new ConcurrentLinkedQueue<>();
    RunEventListener listener =
        new RunEventListener() {
          @Override
          public void recordedAlready(long number) {
            kept.add(number);
          }
        };
    try (RunEventWriter second = client.eventWriter(id).keepFirst().listener(listener).open()) {
      for (int seq = 5; seq < 10; seq++) {
        second.append(seq, KIND, "" + seq);
      }
    }
    assertEquals(List.of(2L), List.copyOf(kept));
    assertEquals(List.of("5", "6", "\"first\"", "8", "9"), stored());
  }

  @Test
  void writer_of_a_memo_has_its_claim_and_is_shut_out_when_the_run_has_another() throws Exception {
    RunMemo memo = client.run(id).claim("gateway-1", Duration.ofSeconds(30)).open();
    RunEventWriter writer = memo.writer().open();
    writer.append(0, KIND, "0");
    writer.awaitDurable(1);
    JournalException unclaimed =
        assertThrows(
            JournalException.class,
            () -> {
              try (RunEventWriter other = client.eventWriter(id).open()) {
                other.append(1, KIND, "1");
              }
            });
    assertTrue(unclaimed.isFenced());
    memo.finish("succeeded");
    RunMemo next = client.run(id).claim("gateway-2", Duration.ofSeconds(30)).open();
    JournalException lost =
        assertThrows(
            JournalException.class,
            () -> {
              writer.append(1, KIND, "1");
              writer.awaitDurable(2);
            });
    assertTrue(lost.isFenced());
    assertFalse(stored().contains("1"));
    writer.close();
    next.close();
  }
}
