package io.agentjournal.it.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** A {@link CountingServer} in a JVM of its own, with the options that the journal's server has. */
final class CountingProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;
  private final OutputStream input;
  private final String port;

  private CountingProcess(Process process) throws IOException {
    this.process = process;
    this.output = process.inputReader();
    this.input = process.getOutputStream();
    this.port = output.readLine();
  }

  static CountingProcess start(Path directory) throws IOException {
    return new CountingProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx700m",
                "-classpath",
                System.getProperty("java.class.path"),
                CountingServer.class.getName())
            .redirectError(directory.resolve("counting.log").toFile())
            .start());
  }

  String target() {
    return "127.0.0.1:" + port;
  }

  /** Segments since it was started. */
  long counted() throws IOException {
    input.write('\n');
    input.flush();
    return Long.parseLong(output.readLine());
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
