package io.agentjournal.it.benchmark;

import io.agentjournal.it.FreePort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Redis Streams with {@code appendfsync always}, under the load of its own {@code redis-benchmark}.
 */
final class RedisStreams implements AutoCloseable {
  private static final String CONFIGURATION = "benchmark/redis.conf";
  private static final int CONNECTIONS = 50;
  private static final String COUNT =
      "local n = 0 for _, k in ipairs(redis.call('KEYS', 'stream:*')) do n = n + redis.call('XLEN', k) end"
          + " return n";

  private final int port;
  private final Process server;

  private RedisStreams(int port, Process server) {
    this.port = port;
    this.server = server;
  }

  /** Null: this machine has no Redis. */
  static @Nullable RedisStreams start(Path directory) throws IOException {
    if (!exists("redis-server") || !exists("redis-benchmark")) {
      return null;
    }
    Path configuration = directory.resolve("redis.conf");
    Files.write(configuration, resource());
    int port = FreePort.find();
    Process server =
        new ProcessBuilder(
                "redis-server",
                configuration.toString(),
                "--port",
                Integer.toString(port),
                "--dir",
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("redis.log").toFile())
            .start();
    RedisStreams redis = new RedisStreams(port, server);
    while (server.isAlive() && !redis.answers()) {
      Thread.onSpinWait();
    }
    return redis;
  }

  private static boolean exists(String program) {
    return Pattern.compile(":")
        .splitAsStream(System.getenv("PATH"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static byte[] resource() throws IOException {
    try (var stream = RedisStreams.class.getClassLoader().getResourceAsStream(CONFIGURATION)) {
      if (stream == null) {
        throw new IOException("no resource " + CONFIGURATION);
      }
      return stream.readAllBytes();
    }
  }

  private boolean answers() {
    try {
      return run("redis-cli", "-p", Integer.toString(port), "PING").contains("PONG");
    } catch (IOException e) {
      return false;
    }
  }

  /** Entries in a second, over 200 streams; fails when not all of them are there. */
  double perSecond(int pipeline, long entries) throws IOException {
    run("redis-cli", "-p", Integer.toString(port), "FLUSHALL");
    String told =
        run(
            "redis-benchmark",
            "-p",
            Integer.toString(port),
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
    long stored =
        Long.parseLong(run("redis-cli", "-p", Integer.toString(port), "EVAL", COUNT, "0").strip());
    if (stored < entries) {
      throw new IOException(stored + " of " + entries + " entries are stored");
    }
    String last = told.strip().lines().reduce("", (before, line) -> line);
    return Double.parseDouble(last.split("\",\"", -1)[1]);
  }

  private static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.destroy();
    try {
      int unused = server.waitFor();
    } catch (InterruptedException e) {
      server.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
