package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;

/** A {@link CountingServer} in a JVM of its own, with the options that the journal's server has. */
final class CountingProcess implements Participant {
  static final String NAME = "the transport's limit";

  private static final int CONNECTIONS = 4;

  private final Process process;
  private final BufferedReader output;
  private final OutputStream input;
  private final Connections connections;

  private CountingProcess(Process process) throws IOException {
    this.process = process;
    this.output = process.inputReader();
    this.input = process.getOutputStream();
    this.connections = new Connections("127.0.0.1:" + output.readLine(), CONNECTIONS);
  }

  static CountingProcess start(Path directory) throws IOException {
    return new CountingProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=700m",
                "-classpath",
                System.getProperty("java.class.path"),
                CountingServer.class.getName())
            .redirectError(directory.resolve("counting.log").toFile())
            .start());
  }

  /** Segments in a second, as the server counts them. Blocks. */
  double perSecond(Sending sending, int streams, int segmentsPerMessage, Duration time)
      throws IOException {
    long before = counted();
    double seconds =
        new SegmentLoad(connections).write(sending, "s", streams, segmentsPerMessage, time);
    return (counted() - before) / seconds;
  }

  private long counted() throws IOException {
    input.write('\n');
    input.flush();
    return Long.parseLong(output.readLine());
  }

  @Override
  public void close() {
    connections.close();
    process.destroyForcibly();
  }
}
