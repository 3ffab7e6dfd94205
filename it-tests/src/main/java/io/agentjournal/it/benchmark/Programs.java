package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Other people's programs, and the files of ours that they are started with. */
final class Programs {
  private static final String RESOURCES = "benchmark/";

  private Programs() {}

  /** Those of a name on the search path, and the one that {@code go install} has put elsewhere. */
  static List<Path> all(String program) {
    return Stream.concat(
            Pattern.compile(":").splitAsStream(System.getenv("PATH")).map(Path::of),
            Stream.of(Path.of(System.getProperty("user.home"), "go", "bin")))
        .map(folder -> folder.resolve(program))
        .filter(Files::isExecutable)
        .toList();
  }

  static Path first(String program) throws NotInstalled {
    return all(program).stream()
        .findFirst()
        .orElseThrow(() -> new NotInstalled("no " + program + " on the search path"));
  }

  /** Copies a file of ours to where a program reads it. */
  static Path copy(String resource, Path directory) throws IOException {
    Path file = Files.createDirectories(directory).resolve(resource);
    try (var stream = Programs.class.getClassLoader().getResourceAsStream(RESOURCES + resource)) {
      if (stream == null) {
        throw new IOException("no resource " + resource);
      }
      Files.write(file, stream.readAllBytes());
    }
    return file;
  }

  /** What it printed, standard error included. Blocks until it has ended. */
  static String run(Path directory, String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Starts one that goes on, with a log. */
  static Process start(Path directory, String log, String... command) throws IOException {
    return new ProcessBuilder(command)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(log).toFile())
        .start();
  }

  /** Returns when it takes connections. */
  static void awaitPort(Process process, int port) throws IOException {
    while (process.isAlive()) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (ConnectException notYet) {
        Thread.onSpinWait();
      }
    }
    throw new IOException("it ended with " + process.exitValue());
  }

  /** Returns when it has ended. */
  static void end(Process process) {
    process.destroy();
    try {
      int unused = process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
