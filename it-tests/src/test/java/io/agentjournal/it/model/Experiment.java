package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes guards out of the server, one after the other, and plays the same sequences until one of
 * them disagrees with the model. Thread-safe: several may run it, each on a database of its own.
 */
final class Experiment {
  /** Those with these seeds, from 0 on. */
  private static final int MOST_SEQUENCES = 1_500;

  private static final int PLAYERS = 3;

  private final Deque<Guard> left;
  private final List<Guard> missed = new ArrayList<>();

  Experiment(Collection<Guard> guards) {
    this.left = new ArrayDeque<>(guards);
  }

  /** Without which the server agrees with the model all the same. */
  synchronized List<Guard> missed() {
    return List.copyOf(missed);
  }

  private synchronized @Nullable Guard next() {
    return left.poll();
  }

  private synchronized void miss(Guard guard) {
    missed.add(guard);
  }

  /** Until there are no more. */
  void run(DatabaseAddress database, Path directory) throws Exception {
    int number = 0;
    for (Guard guard = next(); guard != null; guard = next()) {
      number++;
      Path room = Files.createDirectories(directory.resolve("guard-" + number));
      long begin = System.nanoTime();
      long played = playWithout(guard, database, room);
      System.out.printf(
          "without %-60s %s %5d sequences, %6d ms%n",
          guard,
          played < MOST_SEQUENCES ? "caught after" : "NOT CAUGHT in",
          played,
          (System.nanoTime() - begin) / 1_000_000);
      if (played >= MOST_SEQUENCES) {
        miss(guard);
      }
    }
  }

  /** How many sequences agreed. */
  private static long playWithout(Guard guard, DatabaseAddress database, Path room)
      throws Exception {
    AtomicLong next = new AtomicLong();
    AtomicBoolean caught = new AtomicBoolean();
    try (Servers servers = Servers.startPatched(Mutant.build(guard, room), database, room)) {
      Player player = servers.player();
      Crew.of(
          PLAYERS,
          () -> {
            while (!caught.get() && next.get() < MOST_SEQUENCES) {
              if (player.play(Sequences.of(next.getAndIncrement())) != null) {
                caught.set(true);
              }
            }
          });
    }
    return caught.get() ? Math.min(next.get(), MOST_SEQUENCES) - 1 : MOST_SEQUENCES;
  }
}
