package io.agentjournal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Trial;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class WaitingRowsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  /** As the connection; before its second statement something else happens. */
  private static Connection interrupted(Connection connection, Runnable interruption) {
    AtomicInteger statements = new AtomicInteger();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && statements.incrementAndGet() == 2) {
                interruption.run();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                Throwable cause = e.getCause();
                throw cause == null ? e : cause;
              }
            });
  }

  /** Has told the four events up to the opened stream, and "ab" of that. */
  private static WaitingWatch waiting(Trial trial) {
    SubmissionId id = new SubmissionId(Namespace.DEFAULT, trial.id);
    StreamKey stream = new StreamKey(Namespace.DEFAULT, trial.streamKey("t1", "a"));
    WatchPosition position =
        new WatchPosition(
            1, 1, new WatchPosition.Watched(id, 1), 4, new StretchRows.Place(stream, 2));
    return new WaitingWatch(
        new WatchTarget.OfSubmission(id), position, true, System.nanoTime(), told -> {});
  }

  @Test
  void segments_that_stand_behind_an_event_are_never_told_as_all_the_news() throws SQLException {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "ab");
    WaitingWatch waiting = waiting(trial);
    try (Connection connection = TestPostgres.connect(JOURNAL.database())) {
      Connection interrupted =
          interrupted(
              connection,
              () -> {
                trial.replace("a", "b");
                trial.put("b", trial.streamKey("t1", "a"), 2, "c");
              });
      assertEquals(
          Map.of(waiting, Optional.empty()), new WaitingRows().news(interrupted, List.of(waiting)));
    }
  }

  @Test
  void segments_are_told_with_the_look_when_nothing_else_happened() throws SQLException {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "ab");
    WaitingWatch waiting = waiting(trial);
    try (Connection connection = TestPostgres.connect(JOURNAL.database())) {
      assertEquals(Map.of(), new WaitingRows().news(connection, List.of(waiting)));
      trial.put("a", trial.streamKey("t1", "a"), 2, "cde");
      Map<WaitingWatch, Optional<StreamStretch>> news =
          new WaitingRows().news(connection, List.of(waiting));
      assertEquals(5L, Objects.requireNonNull(news.get(waiting)).orElseThrow().reach(2, 100));
    }
  }
}
