package io.agentjournal.it.benchmark;

import io.agentjournal.it.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Redis Streams with {@code appendfsync always}, under the load of its own {@code redis-benchmark}.
 */
final class RedisStreams implements Participant {
  private static final int CONNECTIONS = 50;

  /** Entries in the first second, when nothing is known yet. */
  private static final double FIRST_GUESS = 30_000;

  private static final String COUNT =
      "local n = 0 for _, k in ipairs(redis.call('KEYS', 'stream:*')) do n = n + redis.call('XLEN', k) end"
          + " return n";

  private final Path directory;
  private final String port;
  private final Process server;
  private final Map<Integer, Double> lastByPipeline = new HashMap<>();

  private RedisStreams(Path directory, String port, Process server) {
    this.directory = directory;
    this.port = port;
    this.server = server;
  }

  static RedisStreams start(Path parent) throws IOException, NotInstalled {
    String program = Programs.first("redis-server").toString();
    Path unused = Programs.first("redis-benchmark");
    Path directory = Files.createDirectories(parent.resolve("redis"));
    String port = Integer.toString(FreePort.find());
    String configuration = Programs.copy("redis.conf", directory).toString();
    Process server =
        Programs.start(
            directory,
            "redis.log",
            program,
            configuration,
            "--port",
            port,
            "--dir",
            directory.toString());
    Programs.awaitPort(server, Integer.parseInt(port));
    return new RedisStreams(directory, port, server);
  }

  static String name(int pipeline) {
    return "Redis Streams, pipeline " + pipeline;
  }

  /** Entries in a second, over 200 streams; fails when not all of them are there. */
  double perSecond(int pipeline, Duration time) throws IOException {
    long entries =
        (long) (lastByPipeline.getOrDefault(pipeline, FIRST_GUESS) * time.toMillis() / 1000);
    cli("FLUSHALL");
    String told =
        Programs.run(
            directory,
            "redis-benchmark",
            "-p",
            port,
            "-c",
            Integer.toString(CONNECTIONS),
            "-P",
            Integer.toString(pipeline),
            "-n",
            Long.toString(entries),
            "-r",
            "200",
            "--csv",
            "XADD",
            "stream:__rand_int__",
            "*",
            "t",
            SegmentLoad.TOKEN.replace(' ', '_'));
    long stored = Long.parseLong(cli("EVAL", COUNT, "0").strip());
    if (stored < entries) {
      throw new IOException(stored + " of " + entries + " entries are stored");
    }
    String last = told.strip().lines().reduce("", (before, line) -> line);
    double perSecond = Double.parseDouble(last.split("\",\"", -1)[1]);
    lastByPipeline.put(pipeline, perSecond);
    return perSecond;
  }

  private String cli(String... words) throws IOException {
    String[] command = new String[words.length + 3];
    command[0] = "redis-cli";
    command[1] = "-p";
    command[2] = port;
    System.arraycopy(words, 0, command, 3, words.length);
    return Programs.run(directory, command);
  }

  @Override
  public void close() {
    Programs.end(server);
  }
}
