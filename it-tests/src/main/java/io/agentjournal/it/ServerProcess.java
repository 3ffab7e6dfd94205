package io.agentjournal.it;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server in a JVM of its own, on one port for its life. It may be killed and started again; with
 * {@link #close} it is gone, and so is the PostgreSQL that it may have left behind. Used by one
 * thread at a time.
 */
public final class ServerProcess implements AutoCloseable {
  private static final String MAIN = "io.agentjournal.server.Main";
  private static final String LISTENS = "agent-journal listens on ";
  private static final String PASSWORD = "AGENTJOURNAL_JDBC_PASSWORD";
  private static final Duration START = Duration.ofMinutes(2);

  private static final int MAX_MESSAGE_BYTES = 32 << 20;

  private static final List<String> FOR_TESTS =
      Stream.concat(JavaProcess.STARTS_FAST.stream(), Stream.of("-Xmx256m")).toList();

  /** As a server that is meant to last. */
  private static final List<String> TO_BE_MEASURED =
      List.of("-Xmx512m", "-XX:MaxDirectMemorySize=700m");

  /** What comes after {@code java} and before the server's own options. */
  private final List<String> java;

  private final Path directory;
  private final int port;
  private final List<String> options;
  private final Map<String, String> environment;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final Thread ending = new Thread(this::end);
  private JavaProcess process;

  private ServerProcess(
      List<String> java, Path directory, List<String> options, Map<String, String> environment) {
    this.java = java;
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
    return new ServerProcess(java(FOR_TESTS, null), directory, List.of(options), Map.of());
  }

  /** As {@link #start}, in a JVM that compiles for speed and has the memory of a server. */
  public static ServerProcess startToMeasure(Path directory, String... options) {
    return new ServerProcess(java(TO_BE_MEASURED, null), directory, List.of(options), Map.of());
  }

  /** Starts a server on a database that is there; the directory is for its log. */
  public static ServerProcess startOn(
      String jdbcUrl, String user, String password, Path directory, String... options) {
    return startPatched(null, jdbcUrl, user, password, directory, options);
  }

  /** As {@link #startOn}, in a JVM as {@link #startToMeasure} has it. */
  public static ServerProcess startToMeasureOn(
      String jdbcUrl, String user, String password, Path directory, String... options) {
    return startOn(java(TO_BE_MEASURED, null), jdbcUrl, user, password, directory, options);
  }

  /** As {@link #startBeside}, in a JVM as {@link #startToMeasure} has it. */
  public ServerProcess startBesideToMeasure(Path directory, String... options) {
    OwnPostgresProcess postgres = postgres();
    return startToMeasureOn(
        postgres.jdbcUrl(), postgres.user(), postgres.password(), directory, options);
  }

  /**
   * As {@link #startOn}; a debugger may attach to it, from this machine.
   *
   * @param debugPort where
   */
  public static ServerProcess startDebuggableOn(
      int debugPort,
      String jdbcUrl,
      String user,
      String password,
      Path directory,
      String... options) {
    // Quiet: the first line that it prints is to tell that it listens.
    String agent =
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:";
    List<String> java = Stream.concat(FOR_TESTS.stream(), Stream.of(agent + debugPort)).toList();
    return startOn(java(java, null), jdbcUrl, user, password, directory, options);
  }

  private static ServerProcess startOn(
      List<String> java,
      String jdbcUrl,
      String user,
      String password,
      Path directory,
      String... options) {
    return new ServerProcess(
        java, directory, on(jdbcUrl, user, options), Map.of(PASSWORD, password));
  }

  private static List<String> on(String jdbcUrl, String user, String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--jdbc-url=" + jdbcUrl);
    all.add("--jdbc-user=" + user);
    return all;
  }

  /**
   * As {@link #startOn}, with some classes in the place of the server's own.
   *
   * @param patch a folder of classes; null: none
   */
  public static ServerProcess startPatched(
      @Nullable Path patch,
      String jdbcUrl,
      String user,
      String password,
      Path directory,
      String... options) {
    return startOn(java(FOR_TESTS, patch), jdbcUrl, user, password, directory, options);
  }

  /** Starts a second server on this one's database. */
  public ServerProcess startBeside(Path directory, String... options) {
    OwnPostgresProcess postgres = postgres();
    return startOn(postgres.jdbcUrl(), postgres.user(), postgres.password(), directory, options);
  }

  /** Starts a process that need not come to listen. */
  public static JavaProcess launch(
      List<String> options, Map<String, String> environment, Path log, Consumer<String> output) {
    return launch(java(FOR_TESTS, null), options, environment, log, output);
  }

  private static List<String> java(List<String> jvmOptions, @Nullable Path patch) {
    String jar = System.getProperty("journal.server-jar", "");
    if (jar.isEmpty()) {
      throw new IllegalStateException("the property journal.server-jar names no server");
    }
    List<String> arguments = new ArrayList<>(jvmOptions);
    arguments.addAll(
        patch == null
            ? List.of("-jar", jar)
            : List.of("-classpath", patch + File.pathSeparator + jar, MAIN));
    return arguments;
  }

  private static JavaProcess launch(
      List<String> java,
      List<String> options,
      Map<String, String> environment,
      Path log,
      Consumer<String> output) {
    List<String> arguments = new ArrayList<>(java);
    arguments.addAll(options);
    return JavaProcess.start("server", arguments, environment, log, output);
  }

  /** As a client takes it. */
  public String target() {
    return "127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Whoever asks for it shuts it down. */
  public ManagedChannel channel() {
    return Grpc.newChannelBuilder(target(), InsecureChannelCredentials.create())
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .build();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** Each line that it has printed, over all its lives. */
  public List<String> output() {
    return List.copyOf(output);
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
    List<String> arguments = new ArrayList<>(options);
    arguments.add("--port=" + port);
    arguments.add("--data-dir=" + dataDirectory());
    JavaProcess started =
        launch(
            java,
            arguments,
            environment,
            directory.resolve("server.log"),
            line -> {
              output.add(line);
              listens.complete(line);
            });
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
