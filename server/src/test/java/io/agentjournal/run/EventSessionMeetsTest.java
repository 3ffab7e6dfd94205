package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_KEEP_FIRST;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_REFUSE_OTHER;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_REPLACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * AppendEventsSession calls and what they meet: locks, bad rows, slow clients, the end of things.
 */
final class EventSessionMeetsTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final JournalledRun run = new JournalledRun(SERVER);

  private EventSession open(AppendMode mode) {
    return EventSession.on(SERVER.channel()).open(run.id, mode);
  }

  @Test
  void locked_run_holds_up_its_own_call_only_and_nothing_overtakes() throws SQLException {
    run.open();
    EventSession held = open(APPEND_MODE_REPLACE);
    try (Connection other = TestPostgres.connect(SERVER.database());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM runs WHERE run_id = '" + run.id + "' FOR UPDATE");
      for (int i = 0; i < 200; i++) {
        held.append(decision(0, "" + i));
      }
      for (int i = 0; i < 10; i++) {
        JournalledRun free = new JournalledRun(SERVER);
        EventSession session = EventSession.on(SERVER.channel()).open(free.id, APPEND_MODE_REPLACE);
        assertEquals(1, session.append(decision(0, "1")).halfClose().awaitEnd().getDurableEvents());
      }
      assertFalse(held.isOver());
      assertEquals(List.of(), held.answers());
      other.rollback();
    }
    assertEquals(200, held.halfClose().awaitEnd().getDurableEvents());
    assertEquals(List.of("199"), run.payloads());
  }

  @Test
  void client_that_pushes_against_a_locked_run_is_stopped_and_loses_nothing() throws SQLException {
    run.open();
    EventSession session = open(APPEND_MODE_KEEP_FIRST);
    String payload = "\"" + "x".repeat(64 << 10) + "\"";
    int sent = 0;
    try (Connection other = TestPostgres.connect(SERVER.database());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM runs WHERE run_id = '" + run.id + "' FOR UPDATE");
      long ready = System.nanoTime();
      // Until the transport has taken nothing for a while.
      while (System.nanoTime() - ready < PATIENCE_NANOS && sent < 1_000) {
        if (session.isReady()) {
          session.append(decision(sent++, payload));
          ready = System.nanoTime();
        } else {
          Thread.onSpinWait();
        }
      }
      assertTrue(sent < 300, sent + " messages of 64 KiB were taken");
      other.rollback();
    }
    assertEquals(sent, session.halfClose().awaitEnd().getDurableEvents());
    assertEquals(sent, run.order().size());
  }

  @Test
  void large_messages_and_small_ones_keep_their_order() {
    EventSession session = open(APPEND_MODE_REPLACE);
    String large = "\"" + "x".repeat(40 << 10) + "\"";
    for (int i = 0; i < 20; i++) {
      session.append(decision(0, large)).append(decision(0, "" + i));
    }
    assertEquals(40, session.halfClose().awaitEnd().getDurableEvents());
    assertEquals(List.of("19"), run.payloads());
  }

  @Test
  void large_message_right_before_the_half_close_is_stored() {
    String large = "\"" + "x".repeat(1 << 20) + "\"";
    for (int i = 0; i < 10; i++) {
      JournalledRun one = new JournalledRun(SERVER);
      EventSession session = EventSession.on(SERVER.channel()).open(one.id, APPEND_MODE_REPLACE);
      session.append(decision(0, large)).halfClose();
      assertEquals(1, session.awaitEnd().getDurableEvents());
    }
  }

  @Test
  void row_that_the_database_refuses_fails_its_own_call_and_what_came_before_it_is_stored()
      throws SQLException {
    String poison = "{\"poison\":\"" + run.id + "\"}";
    try (Connection connection = TestPostgres.connect(SERVER.database());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER TABLE run_events ADD CONSTRAINT no_poison_here CHECK (payload <> '"
              + poison
              + "'::bytea) NOT VALID");
      try {
        EventSession bad = open(APPEND_MODE_REFUSE_OTHER);
        JournalledRun healthy = new JournalledRun(SERVER);
        EventSession good =
            EventSession.on(SERVER.channel()).open(healthy.id, APPEND_MODE_REFUSE_OTHER);
        for (int seq = 0; seq < 100; seq++) {
          bad.append(decision(seq, seq == 70 ? poison : "1"));
          good.append(decision(seq, "1"));
        }
        assertEquals(100, good.halfClose().awaitEnd().getDurableEvents());
        assertEquals(Status.Code.INTERNAL, bad.awaitFailure().getStatus().getCode());
        assertEquals(70, run.order().size());
      } finally {
        statement.execute("ALTER TABLE run_events DROP CONSTRAINT no_poison_here");
      }
    }
  }

  @Test
  void client_that_does_not_read_is_told_everything_when_it_does() {
    List<Event> recorded = new ArrayList<>();
    for (int seq = 0; seq < 3_000; seq += 3) {
      recorded.add(decision(seq, "1"));
    }
    run.append(recorded.toArray(Event[]::new));
    EventSession session =
        EventSession.thatDoesNotRead(SERVER.channel()).open(run.id, APPEND_MODE_KEEP_FIRST);
    for (int seq = 0; seq < 3_000; seq++) {
      session.append(decision(seq, "2"));
    }
    session.halfClose();
    Wait.until("all is stored", () -> run.order().size() == 3_000);
    session.take(10_000);
    AppendEventsSessionResponse last = session.awaitEnd();
    assertEquals(3_000, last.getDurableEvents());
    assertEquals(2_000, last.getInserted());
    assertEquals(
        IntStream.range(0, 1_000).mapToObj(i -> 3L * i).toList(), session.unchangedEvents());
  }

  @Test
  void server_that_goes_away_ends_the_call_and_tells_how_far_it_got() {
    JournalServer second = SERVER.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(second);
    EventSession session = EventSession.on(channel).open(run.id, APPEND_MODE_KEEP_FIRST);
    session.append(decision(0, "1")).awaitDurable(1);
    second.close();
    session
        .awaitRefusal()
        .mustBe(
            Status.Code.UNAVAILABLE,
            ErrorReason.ERROR_REASON_SERVER_DRAINING,
            "durable_events",
            "1");
    channel.shutdownNow();
  }

  /** A cut loses answers and repeats messages; what is stored is as if it had not been. */
  @Test
  void calls_that_are_cut_and_repeated_store_every_event_once() {
    for (long seed = 1; seed <= 12; seed++) {
      Random random = new Random(seed);
      JournalledRun one = new JournalledRun(SERVER);
      AppendMode mode = random.nextBoolean() ? APPEND_MODE_KEEP_FIRST : APPEND_MODE_REFUSE_OTHER;
      Map<Integer, String> model = new LinkedHashMap<>();
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        int seq = random.nextInt(200);
        String wanted = mode == APPEND_MODE_REFUSE_OTHER ? "" + seq : "" + i;
        events.add(decision(seq, wanted));
        model.putIfAbsent(seq, wanted);
      }
      int acknowledged = 0;
      while (acknowledged < events.size()) {
        acknowledged = sendSome(one, mode, events, acknowledged, random);
      }
      Map<Integer, String> stored = new LinkedHashMap<>();
      one.events().forEach(event -> stored.put((int) event.getSeq(), event.getPayload().getJson()));
      assertEquals(model, stored, "seed " + seed);
    }
  }

  /** Sends from there on, is cut somewhere, and answers what it was told to be durable. */
  private static int sendSome(
      JournalledRun one, AppendMode mode, List<Event> events, int from, Random random) {
    EventSession session = EventSession.on(SERVER.channel()).open(one.id, mode);
    int sent = Math.min(events.size(), from + 1 + random.nextInt(150));
    for (int next = from; next < sent; ) {
      int end = Math.min(sent, next + 1 + random.nextInt(3));
      session.append(distinct(events.subList(next, end)));
      next += distinct(events.subList(next, end)).length;
    }
    if (random.nextBoolean()) {
      return from + (int) session.halfClose().awaitEnd().getDurableEvents();
    }
    session.awaitDurable(1 + random.nextInt(sent - from));
    long durable = session.durableEvents();
    session.cancel();
    return from + (int) durable;
  }

  /** The first ones up to a repeat: a message has no event twice. */
  private static Event[] distinct(List<Event> events) {
    int count = 1;
    while (count < events.size()
        && events.subList(0, count).stream().noneMatch(is(events.get(count)))) {
      count++;
    }
    return events.subList(0, count).toArray(Event[]::new);
  }

  private static Predicate<Event> is(Event other) {
    return event -> event.getSeq() == other.getSeq();
  }
}
