package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes guards out of a running server, one after the other, and plays the same sequences until one
 * of them disagrees with the model; then puts the guard back, and that sequence has to agree. Where
 * the guard's class cannot be exchanged, a server is started without it. Thread-safe: several may
 * run it, each on a database of its own.
 */
final class Experiment {
  /** Those with these seeds, from 0 on. */
  private static final int MOST_SEQUENCES = 3_000;

  /** With other seeds, by which the server comes to have loaded what the guards stand in. */
  private static final int FIRST_SEQUENCES = 60;

  private static final int PLAYERS = 3;

  /** Of the one that is known: where calls have to meet they may pass each other. */
  private static final int TRIES = 5;

  private final Deque<Guard> left;
  private final Map<String, Long> known;
  private final List<Guard> missed = new ArrayList<>();
  private final Map<String, Long> caughtBy = new TreeMap<>();

  /**
   * Of these guards.
   *
   * @param known a sequence that has caught it, by a guard's name: it is tried first
   */
  Experiment(Collection<Guard> guards, Map<String, Long> known) {
    this.left = new ArrayDeque<>(guards);
    this.known = Map.copyOf(known);
  }

  /** The seeds of the sequences that did, by the guards' names. */
  synchronized Map<String, Long> caughtBy() {
    return new TreeMap<>(caughtBy);
  }

  /** Without which the server agrees with the model all the same. */
  synchronized List<Guard> missed() {
    return List.copyOf(missed);
  }

  private synchronized @Nullable Guard next() {
    return left.poll();
  }

  private synchronized void note(Guard guard, @Nullable Disagreement disagreement) {
    if (disagreement == null) {
      missed.add(guard);
    } else {
      caughtBy.put(guard.name(), disagreement.sequence().seed());
    }
  }

  /** Until there are no more. */
  void run(DatabaseAddress database, Path directory) throws Exception {
    Files.createDirectories(directory);
    int number = 0;
    Guard guard = next();
    while (guard != null) {
      int debugPort = FreePort.find();
      try (Servers servers = Servers.startOne(debugPort, database, directory);
          ClassExchange classes = ClassExchange.attach(debugPort)) {
        Player player = servers.player();
        requireSound(play(player, -FIRST_SEQUENCES, 0).disagreement());
        boolean isItself = true;
        while (guard != null && isItself) {
          number++;
          isItself = run(guard, player, classes, database, directory.resolve("guard-" + number));
          guard = next();
        }
      }
    }
  }

  /** Answers whether the server is what it was before. */
  private boolean run(
      Guard guard, Player player, ClassExchange classes, DatabaseAddress database, Path room)
      throws Exception {
    long begin = System.nanoTime();
    Path folder = Mutant.build(guard, room);
    Map<String, byte[]> without = Mutant.read(folder);
    Played played = null;
    boolean isItself = true;
    if (classes.put(without)) {
      played = play(player, guard);
      isItself = classes.put(Mutant.originals(without.keySet()));
    }
    if (played == null || !classes.isConnected()) {
      isItself = classes.isConnected();
      try (Servers patched = Servers.startPatched(folder, database, room)) {
        played = play(patched.player(), guard);
      }
    }
    System.out.printf(
        "without %-60s %s %5d sequences, %6d ms%n",
        guard,
        played.disagreement() == null ? "NOT CAUGHT in" : "caught after",
        played.count(),
        (System.nanoTime() - begin) / 1_000_000);
    note(guard, played.disagreement());
    if (played.disagreement() != null && isItself) {
      requireSound(player.play(played.disagreement().sequence()));
    }
    return isItself;
  }

  private static void requireSound(@Nullable Disagreement disagreement) {
    if (disagreement != null) {
      throw new AssertionError("with every guard in its place " + disagreement);
    }
  }

  /**
   * What was played.
   *
   * @param disagreement null: none
   */
  private record Played(long count, @Nullable Disagreement disagreement) {}

  private Played play(Player player, Guard guard) throws Exception {
    Long seed = known.get(guard.name());
    for (int i = 1; seed != null && i <= TRIES; i++) {
      Disagreement disagreement = player.play(Sequences.of(seed));
      if (disagreement != null) {
        return new Played(i, disagreement);
      }
    }
    return play(player, 0, MOST_SEQUENCES);
  }

  private static Played play(Player player, long from, long to) throws Exception {
    AtomicLong next = new AtomicLong(from);
    AtomicReference<@Nullable Disagreement> found = new AtomicReference<>();
    Crew.of(
        PLAYERS,
        () -> {
          for (long seed = next.getAndIncrement();
              seed < to && found.get() == null;
              seed = next.getAndIncrement()) {
            Disagreement disagreement = player.play(Sequences.of(seed));
            if (disagreement != null) {
              found.compareAndSet(null, disagreement);
            }
          }
        });
    return new Played(Math.min(next.get(), to) - from, found.get());
  }
}
