package io.agentjournal.it;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server in a JVM of its own, on one port for its life. It may be killed and started again; with
 * {@link #close} it is gone, and so is the PostgreSQL that it may have left behind. Used by one
 * thread at a time.
 */
public final class ServerProcess implements AutoCloseable {
  private static final String LISTENS = "agent-journal listens on ";
  private static final Duration START = Duration.ofMinutes(2);

  private final String jar = System.getProperty("journal.server-jar", "");
  private final Path directory;
  private final int port;
  private final List<String> options;
  private final Map<String, String> environment;
  private final Thread ending = new Thread(this::end);
  private JavaProcess process;

  private ServerProcess(Path directory, List<String> options, Map<String, String> environment) {
    if (jar.isEmpty()) {
      throw new IllegalStateException("the property journal.server-jar names no server");
    }
    this.directory = directory;
    this.port = FreePort.find();
    this.options = options;
    this.environment = environment;
    this.process = launch();
    Runtime.getRuntime().addShutdownHook(ending);
  }

  /**
   * Starts a server with a PostgreSQL of its own; returns when it listens.
   *
   * @param directory an existing one, for its data and its log
   * @param options as on its command line
   */
  public static ServerProcess start(Path directory, String... options) {
    return new ServerProcess(directory, List.of(options), Map.of());
  }

  /** Starts a second server on this one's database. */
  public ServerProcess startBeside(Path directory, String... options) {
    OwnPostgresProcess postgres = postgres();
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--jdbc-url=" + postgres.jdbcUrl());
    all.add("--jdbc-user=" + postgres.user());
    return new ServerProcess(
        directory, all, Map.of("AGENTJOURNAL_JDBC_PASSWORD", postgres.password()));
  }

  /** As a client takes it. */
  public String target() {
    return "127.0.0.1:" + port;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  public OwnPostgresProcess postgres() {
    return new OwnPostgresProcess(dataDirectory());
  }

  /** SIGKILL. Its PostgreSQL, if it has its own, goes on running. */
  public void kill9() {
    process.kill9();
  }

  /** SIGTERM. Returns the exit code. */
  public int terminate() {
    return process.terminate();
  }

  /** On the same data and the same port. Returns when it listens. */
  public void startAgain() {
    process.close();
    process = launch();
  }

  private JavaProcess launch() {
    CompletableFuture<String> listens = new CompletableFuture<>();
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-Xmx256m", "-jar", jar, "--port=" + port));
    arguments.add("--data-dir=" + dataDirectory());
    arguments.addAll(options);
    JavaProcess started =
        JavaProcess.start(
            "server", arguments, environment, directory.resolve("server.log"), listens::complete);
    started.onExit(() -> listens.complete("ended"));
    try {
      String line = listens.get(START.toSeconds(), TimeUnit.SECONDS);
      if (!line.startsWith(LISTENS)) {
        throw new IllegalStateException("the server did not start: " + line + started.told());
      }
      return started;
    } catch (TimeoutException e) {
      started.close();
      postgres().end();
      throw new IllegalStateException("the server did not start in " + START + started.told(), e);
    } catch (ExecutionException | InterruptedException e) {
      started.close();
      throw new IllegalStateException(e);
    }
  }

  private Path dataDirectory() {
    return directory.resolve("data").toAbsolutePath();
  }

  private void end() {
    process.close();
    postgres().end();
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook does it as well.
    }
  }
}
