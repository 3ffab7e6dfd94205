package io.agentjournal.it.promise;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What is outside of the journal and outlives an agent that is killed: what the model was asked,
 * what tools have done, what the journal was heard to say. A line for each in files that all agents
 * append to. Thread-safe.
 */
final class Outside {
  private static final String SEPARATOR = "\t";

  private final Path asks;
  private final Path effects;
  private final Path writes;
  private final Path acknowledgements;
  private final Path onlyOnce;

  Outside(Path directory) {
    this.asks = directory.resolve("asks.log");
    this.effects = directory.resolve("effects.log");
    this.writes = directory.resolve("writes.log");
    this.acknowledgements = directory.resolve("acknowledgements.log");
    this.onlyOnce = directory.resolve("only-once");
    try {
      Files.createDirectories(onlyOnce);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The model was asked to say what follows the first {@code from} segments of a stream. */
  record Ask(long micros, String askId, String streamKey, long from) {}

  /** A write that the journal has answered: by whom, and when it was sent. */
  record Write(long micros, String submissionId, String attemptId, String what, boolean applied) {}

  /** The journal has acknowledged so much of a stream. */
  record Acknowledged(String streamKey, long nextIndex) {}

  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  // --- the agents

  void asked(Ask ask) {
    append(asks, ask.micros(), ask.askId(), ask.streamKey(), ask.from());
  }

  void wrote(Write write) {
    append(
        writes,
        write.micros(),
        write.submissionId(),
        write.attemptId(),
        write.what(),
        write.applied());
  }

  void acknowledged(Acknowledged acknowledged) {
    append(acknowledgements, acknowledged.streamKey(), acknowledged.nextIndex());
  }

  /** As often as it is called. */
  void takeEffect(String effect) {
    append(effects, effect);
  }

  /** Once, however often it is called: a service that keeps idempotency keys. */
  void takeEffectOnce(String effect) {
    try {
      Path unused = Files.createFile(onlyOnce.resolve(effect.replace('/', '_')));
    } catch (FileAlreadyExistsException before) {
      // That is what the key is for.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- the test

  List<Ask> asks() {
    return lines(asks).stream()
        .map(line -> line.split(SEPARATOR, -1))
        .map(part -> new Ask(Long.parseLong(part[0]), part[1], part[2], Long.parseLong(part[3])))
        .toList();
  }

  List<Write> writes() {
    return lines(writes).stream()
        .map(line -> line.split(SEPARATOR, -1))
        .map(
            part ->
                new Write(
                    Long.parseLong(part[0]),
                    part[1],
                    part[2],
                    part[3],
                    Boolean.parseBoolean(part[4])))
        .toList();
  }

  List<Acknowledged> acknowledged() {
    return lines(acknowledgements).stream()
        .map(line -> line.split(SEPARATOR, -1))
        .map(part -> new Acknowledged(part[0], Long.parseLong(part[1])))
        .toList();
  }

  long countEffects(String effect) {
    return lines(effects).stream().filter(effect::equals).count()
        + (Files.exists(onlyOnce.resolve(effect.replace('/', '_'))) ? 1 : 0);
  }

  /** Grows while agents get something done. */
  long progress() {
    return size(writes) + size(acknowledgements);
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void append(Path file, Object... parts) {
    StringBuilder line = new StringBuilder();
    for (Object part : parts) {
      line.append(line.isEmpty() ? "" : SEPARATOR).append(part);
    }
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
