package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A program of this machine that a test runs. */
record Program(Path file, Map<String, String> environment) {
  /** What it wrote, and how it ended. */
  record Ran(int exitCode, String output, String errors) {
    /** Its output; fails the test unless it ended well. */
    String expectSuccess() {
      assertEquals(0, exitCode, output + errors);
      return output;
    }
  }

  static Optional<Program> find(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory).resolve(name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(file -> new Program(file, Map.of()));
  }

  /** One of the search path. Without it the test is skipped, or, where CI is true, fails. */
  static Program require(String name, String howToGetIt) {
    return find(name).orElseGet(() -> missing(name + " is not on the search path: " + howToGetIt));
  }

  /** Ends the test: skipped, or, where CI is true, failed. */
  static Program missing(String reason) {
    if ("true".equals(System.getenv("CI"))) {
      return fail(reason);
    }
    System.out.println("SKIPPED: " + reason);
    return Assumptions.abort(reason);
  }

  /** Runs it to its end, or fails the test when that takes too long. */
  Ran run(Path directory, Duration atMost, List<String> arguments) {
    return run(directory, atMost, arguments, "");
  }

  /** As {@link #run(Path, Duration, List)}, with something to read. */
  Ran run(Path directory, Duration atMost, List<String> arguments, String input) {
    Process process = start(directory, arguments);
    try {
      write(input, process);
      CompletableFuture<String> output = read(process.getInputStream());
      CompletableFuture<String> errors = read(process.getErrorStream());
      if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        return fail(
            "%s %s has not ended within %s: %s%s"
                .formatted(file, arguments, atMost, output.join(), errors.join()));
      }
      return new Ran(process.exitValue(), output.join(), errors.join());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Whoever starts it ends it. */
  Process start(Path directory, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(file.toString());
    command.addAll(arguments);
    try {
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      builder.environment().putAll(environment);
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the background: it may want to write while it has not read everything. */
  private static void write(String input, Process process) {
    var unused =
        CompletableFuture.runAsync(
            () -> {
              try (Writer writer = process.outputWriter(StandardCharsets.UTF_8)) {
                writer.write(input);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private static CompletableFuture<String> read(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
