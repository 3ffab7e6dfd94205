package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.Summary;
import io.agentjournal.testing.PostgresExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random sequences of calls over two server processes agree with the contract: every answer, and
 * all that is read afterwards. {@code -Djournal.model-seed=N} plays the sequence of one seed again.
 */
@Timeout(1_500)
final class ModelTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");
  private static final int SEQUENCES =
      Integer.getInteger("journal.model-sequences", THOROUGH ? 10_000 : 300);
  private static final int PLAYERS = 6;

  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @TempDir static Path directory;

  @Test
  void every_answer_and_the_final_state_agree_with_the_model() throws Exception {
    DatabaseAddress database = POSTGRES.emptyDatabase();
    try (Servers servers = Servers.start(database, directory)) {
      Player player = servers.player();
      List<Disagreement> found = play(player);
      new Summary("model")
          .put("sequences", SEQUENCES)
          .put("operations", player.callCount())
          .put("disagreements", found.size())
          .write();
      if (!found.isEmpty()) {
        Assertions.fail(new Shrinker(player).shrink(found.get(0)).toString());
      }
    }
  }

  private static List<Disagreement> play(Player player)
      throws InterruptedException, ExecutionException {
    Long seed = Long.getLong("journal.model-seed");
    long first = seed == null ? System.nanoTime() : seed;
    AtomicLong next = new AtomicLong(first);
    long end = first + (seed == null ? SEQUENCES : 1);
    List<Disagreement> found = new java.util.concurrent.CopyOnWriteArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(PLAYERS);
    try {
      List<Future<?>> players = new ArrayList<>();
      for (int i = 0; i < PLAYERS; i++) {
        players.add(threads.submit(() -> play(player, next, end, found)));
      }
      for (Future<?> one : players) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return found;
  }

  private static void play(Player player, AtomicLong next, long end, List<Disagreement> found) {
    for (long seed = next.getAndIncrement();
        seed < end && found.isEmpty();
        seed = next.getAndIncrement()) {
      Disagreement disagreement = player.play(Sequences.of(seed));
      if (disagreement != null) {
        found.add(disagreement);
      }
    }
  }
}
