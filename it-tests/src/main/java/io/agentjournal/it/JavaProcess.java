package io.agentjournal.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A Java program in a JVM of its own. Its standard error goes to a file, its standard output to
 * whoever listens. It ends at the latest when this JVM does.
 */
public final class JavaProcess implements AutoCloseable {
  /** For one that is to start fast rather than to run fast. */
  static final List<String> STARTS_FAST =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

  private static final int TOLD_LINES = 30;
  private static final Duration DEATH = Duration.ofSeconds(30);

  private final String name;
  private final Path log;
  private final Process process;
  private final CompletableFuture<Integer> exited = new CompletableFuture<>();
  private final Thread ending = new Thread(this::destroy);

  private JavaProcess(String name, Path log, Process process, Consumer<String> output) {
    this.name = name;
    this.log = log;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(ending);
    Thread reader = new Thread(() -> read(output), name + "-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a JVM.
   *
   * @param arguments as after {@code java}
   * @param log where standard error is appended
   * @param output gets each line of standard output, on a thread of its own
   */
  public static JavaProcess start(
      String name,
      List<String> arguments,
      Map<String, String> environment,
      Path log,
      Consumer<String> output) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      return new JavaProcess(name, log, builder.start(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a main class of this JVM's own class path. */
  public static JavaProcess startMain(
      Class<?> main, List<String> arguments, Path log, Consumer<String> output) {
    List<String> all = new ArrayList<>(STARTS_FAST);
    all.addAll(List.of("-Xmx128m", "-classpath", System.getProperty("java.class.path")));
    all.add(main.getName());
    all.addAll(arguments);
    return start(main.getSimpleName(), all, Map.of(), log, output);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Runs the task when it has ended, after its last line was handed to the listener. */
  void onExit(Runnable task) {
    var unused = exited.thenRun(task);
  }

  /** SIGKILL. Returns when it is dead. */
  public void kill9() {
    destroy();
    awaitExit(DEATH);
  }

  /** SIGSTOP: as a machine that is suspended. */
  public void freeze() {
    signal("-STOP");
  }

  /** SIGCONT: it goes on, and knows nothing of the time between. */
  public void thaw() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      int code = new ProcessBuilder("kill", signal, Long.toString(pid())).start().waitFor();
      if (code != 0) {
        throw new IllegalStateException("kill " + signal + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** SIGTERM. Returns its exit code. */
  public int terminate() {
    process.toHandle().destroy();
    return awaitExit(DEATH);
  }

  /** Returns the exit code, when all that it wrote has been handed to the listener. */
  public int awaitExit(Duration atMost) {
    try {
      return exited.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(name + " has not ended within " + atMost + told(), e);
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(name + " was waited for in vain", e);
    }
  }

  /** The last lines of its standard error, for a message about it. */
  public String told() {
    try {
      List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
      List<String> last = lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size());
      return System.lineSeparator() + String.join(System.lineSeparator(), last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(Consumer<String> output) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.accept(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var unused = process.onExit().thenAccept(ended -> exited.complete(ended.exitValue()));
  }

  private void destroy() {
    // Process.destroy would close the output that is still to be read.
    process.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    kill9();
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook has done it.
    }
  }
}
