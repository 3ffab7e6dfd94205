package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.fail;

import io.agentjournal.testing.Wait;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A running program that tells its steps; it may be killed, frozen and thawed. Ends with close. */
final class TellingProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<String> command;
  private final Process process;
  private final Thread reader;
  private final List<Step> steps = new CopyOnWriteArrayList<>();

  private TellingProcess(List<String> command, Process process) {
    this.command = command;
    this.process = process;
    this.reader = new Thread(this::read, command.get(0) + "-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts it; what it says on standard error goes to the log. */
  static TellingProcess start(
      List<String> command, Map<String, String> environment, Path directory, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      return new TellingProcess(command, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        steps.add(Step.parse(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All that it has told so far. */
  List<Step> steps() {
    return List.copyOf(steps);
  }

  List<Step> steps(Predicate<Step> which) {
    return steps.stream().filter(which).toList();
  }

  boolean has(Predicate<Step> which) {
    return steps.stream().anyMatch(which);
  }

  /** The first such step. */
  Step await(String sentence, Predicate<Step> which) {
    Wait.until(sentence + ": " + this, PATIENCE, () -> has(which) || !reader.isAlive());
    List<Step> found = steps(which);
    return found.isEmpty() ? fail(sentence + ", but it has ended: " + this) : found.get(0);
  }

  Step lastStep() {
    return steps.get(steps.size() - 1);
  }

  /** The highest next_index that it was told. */
  long lastDurable() {
    return steps(Step.named("durable")).stream()
        .mapToLong(step -> step.number("next_index"))
        .max()
        .orElse(0);
  }

  /** SIGKILL. Returns when it is dead and all that it told was read. */
  void kill9() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGSTOP: as a machine that is suspended. */
  void freeze() {
    signal("-STOP");
  }

  /** SIGCONT. */
  void thaw() {
    signal("-CONT");
  }

  private void signal(String signal) {
    new Program(Path.of("kill"), Map.of())
        .run(Path.of("."), PATIENCE, List.of(signal, Long.toString(process.pid())))
        .expectSuccess();
  }

  /** Its exit code, when all that it told was read. */
  int awaitExit() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        return fail("has not ended within " + PATIENCE + ": " + this);
      }
      reader.join();
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  @Override
  public String toString() {
    return command + " told " + steps;
  }
}
