package io.agentjournal.it.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is outside of the journal and outlives an agent that is killed: the model's bills and the
 * tools' effects, a line for each in a file. Thread-safe.
 */
final class World {
  private final Path bills;
  private final Path effects;

  World(Path directory) {
    this.bills = directory.resolve("bills.log");
    this.effects = directory.resolve("effects.log");
  }

  /** A model call that is paid for. */
  synchronized void buyDecision(int step) {
    append(bills, Integer.toString(step));
  }

  /** As often as it is called. */
  synchronized void takeEffect(String effect) {
    append(effects, effect);
  }

  /** Once, however often it is called: a service that keeps idempotency keys. */
  synchronized void takeEffectOnce(String effect, String idempotencyKey) {
    String line = effect + " under " + idempotencyKey;
    if (!lines(effects).contains(line)) {
      append(effects, line);
    }
  }

  synchronized boolean hasEffect(String effect) {
    return effects().containsKey(effect);
  }

  /** How often each was bought, by step. */
  synchronized Map<Integer, Integer> bills() {
    Map<Integer, Integer> counts = new TreeMap<>();
    lines(bills).forEach(line -> counts.merge(Integer.parseInt(line), 1, Integer::sum));
    return counts;
  }

  /** How often each is there. */
  synchronized Map<String, Integer> effects() {
    Map<String, Integer> counts = new TreeMap<>();
    lines(effects).forEach(line -> counts.merge(line.split(" ", 2)[0], 1, Integer::sum));
    return counts;
  }

  private static void append(Path file, String line) {
    try {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
