package io.agentjournal.it.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.Summary;
import io.agentjournal.testing.PostgresExtension;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random sequences of calls over two server processes agree with the contract, every answer and all
 * that is read afterwards; and without any one of the contract's guards they would not.
 *
 * <p>A failure tells the seed: {@code -Djournal.model-seed=N} plays that sequence again.
 */
@Timeout(2_400)
final class ModelTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");
  private static final int SEQUENCES =
      Integer.getInteger("journal.model-sequences", THOROUGH ? 10_000 : 250);
  private static final int GUARDS =
      Integer.getInteger("journal.model-guards", THOROUGH ? Integer.MAX_VALUE : 4);
  private static final int LONG = 1_000;
  private static final int PLAYERS = 6;
  private static final Summary SUMMARY = new Summary("model");

  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @TempDir static Path directory;

  @AfterAll
  static void tell() {
    SUMMARY.write();
  }

  @Test
  void every_answer_and_the_final_state_agree_with_the_model() throws Exception {
    try (Servers servers =
        Servers.startTwo(SEQUENCES >= LONG, POSTGRES.emptyDatabase(), directory)) {
      Player player = servers.player();
      Long seed = Long.getLong("journal.model-seed");
      long first = seed == null ? System.nanoTime() : seed;
      AtomicLong next = new AtomicLong(first);
      long end = first + (seed == null ? SEQUENCES : 1);
      List<Disagreement> found = Collections.synchronizedList(new ArrayList<>());
      Crew.of(PLAYERS, () -> play(player, next, end, found));
      SUMMARY
          .put("sequences", Math.min(next.get(), end) - first)
          .put("operations", player.callCount())
          .put("disagreements", found.size());
      if (!found.isEmpty()) {
        Assertions.fail(new Shrinker(player).shrink(found.get(0)).toString());
      }
    }
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

  @Test
  void every_guard_that_is_taken_out_of_the_server_is_missed() throws Exception {
    List<Guard> guards = today();
    Experiment experiment = new Experiment(guards, CaughtBy.read());
    List<DatabaseAddress> databases = List.of(POSTGRES.emptyDatabase(), POSTGRES.emptyDatabase());
    AtomicLong lane = new AtomicLong();
    try {
      Crew.of(
          databases.size(),
          () -> {
            int number = (int) lane.getAndIncrement();
            experiment.run(databases.get(number), directory.resolve("lane-" + number));
          });
    } finally {
      CaughtBy.write(experiment.caughtBy(), Path.of("target", "summary"));
    }
    SUMMARY
        .put("guards_removed", guards.size())
        .put("guards_caught", guards.size() - experiment.missed().size());
    assertEquals(List.of(), experiment.missed());
  }

  /** All of them, or a few: others every day. */
  private static List<Guard> today() throws Exception {
    List<Guard> all = Guards.all();
    for (Guard guard : all) {
      var unused = Mutant.changed(guard);
    }
    List<Guard> rotated = new ArrayList<>(all);
    long day = LocalDate.now(ZoneOffset.UTC).toEpochDay();
    Collections.rotate(rotated, (int) (day * GUARDS % all.size()));
    String only = System.getProperty("journal.model-guard");
    return rotated.stream()
        .filter(guard -> only == null || guard.name().matches(only))
        .limit(GUARDS)
        .toList();
  }
}
