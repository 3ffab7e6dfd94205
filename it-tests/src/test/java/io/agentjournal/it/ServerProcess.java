package io.agentjournal.it;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/**
 * A server in a process of its own, from the jar that {@code -Djournal.server-jar} names. Its log
 * goes to a file beside its data.
 */
final class ServerProcess implements AutoCloseable {
  private static final String LISTENS = "agent-journal listens on ";
  private static final int MAX_MESSAGE_BYTES = 32 << 20;
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final Path log;
  private final String address;

  private ServerProcess(Process process, Path log) throws IOException {
    this.process = process;
    this.log = log;
    String line = process.inputReader().readLine();
    if (line == null || !line.startsWith(LISTENS)) {
      Assertions.fail("the server printed " + line + " and logged " + Files.readString(log));
    }
    this.address = line.substring(LISTENS.length());
  }

  /** Blocks until it listens, on a free port, with a PostgreSQL of its own in the directory. */
  static ServerProcess onDirectory(Path directory, String... options) {
    List<String> all = new ArrayList<>(List.of("--data-dir=" + directory.resolve("data")));
    all.addAll(List.of(options));
    return start(directory, all);
  }

  /** Blocks until it listens. The directory is for its log. */
  static ServerProcess start(Path directory, List<String> options) {
    try {
      Path log = Files.createTempFile(directory, "server-", ".log");
      return new ServerProcess(launch(log, options), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bare process, which may not come to listen. */
  static Process launch(Path log, List<String> options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                System.getProperty("journal.server-jar"),
                "--port=0"));
    command.addAll(options);
    return new ProcessBuilder(command).redirectError(log.toFile()).start();
  }

  /** Host and port. */
  String address() {
    return address;
  }

  /** The test shuts it down. */
  ManagedChannel channel() {
    return NettyChannelBuilder.forTarget(address)
        .usePlaintext()
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .build();
  }

  /** SIGKILL, and waits for the end. Its PostgreSQL goes on. */
  void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGTERM, and waits for the end; returns the exit code. */
  int terminate() {
    // By its handle: the process itself would close its output, which is still to be read.
    process.toHandle().destroy();
    return awaitExit();
  }

  /** What it printed on standard output after its first line; waits for its end. */
  List<String> furtherOutput() throws IOException {
    try (BufferedReader output = process.inputReader()) {
      return output.lines().toList();
    }
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  private int awaitExit() {
    try {
      Assertions.assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it did not end");
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    terminate();
  }
}
