package io.agentjournal.it.run;

import io.agentjournal.it.JavaProcess;
import io.agentjournal.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** One life of a {@link ScriptedAgent}, and what it has said. */
final class AgentProcess implements AutoCloseable {
  private static final Duration LIFE = Duration.ofMinutes(2);

  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Path goOn;
  private final JavaProcess process;

  /**
   * @param arguments of the agent up to where it stops
   * @param directory for its go-on file and its log
   * @param name of this life, for both
   */
  AgentProcess(List<String> arguments, Path directory, String name) {
    this.goOn = directory.resolve(name + ".go");
    List<String> all = new java.util.ArrayList<>(arguments);
    all.add(goOn.toString());
    this.process =
        JavaProcess.startMain(
            ScriptedAgent.class, all, directory.resolve(name + ".log"), said::add);
  }

  /** Waits until it has stopped there, or has ended. True: it has stopped. */
  boolean awaitStopOrEnd() {
    Wait.until("the agent stops or ends", () -> hasSaid(CrashPoint.STOPPED) || !process.isAlive());
    return hasSaid(CrashPoint.STOPPED);
  }

  void awaitClaim() {
    Wait.until("the agent claims its run", () -> hasSaid(ScriptedAgent.CLAIMED));
  }

  /** SIGSTOP: as a machine that is suspended. */
  void freeze() {
    process.freeze();
  }

  /** SIGCONT; it goes on from where it stopped. */
  void thaw() throws IOException {
    letGoOn();
    process.thaw();
  }

  void letGoOn() throws IOException {
    Files.createFile(goOn);
  }

  void kill9() {
    process.kill9();
  }

  /** Its answer; fails when it ended without. */
  String awaitAnswer() {
    process.awaitExit(LIFE);
    return rest(ScriptedAgent.ANSWER)
        .orElseThrow(() -> new AssertionError("no answer, but " + said + process.told()));
  }

  /** The reason; fails when it was not refused. */
  String awaitRefusal() {
    process.awaitExit(LIFE);
    return rest(ScriptedAgent.REFUSED)
        .orElseThrow(() -> new AssertionError("not refused, but " + said + process.told()));
  }

  /** The places that it has passed, in their order. */
  List<String> places() {
    return said.stream()
        .filter(line -> line.startsWith(CrashPoint.REACHED))
        .map(line -> line.substring(CrashPoint.REACHED.length()))
        .toList();
  }

  private boolean hasSaid(String beginning) {
    return said.stream().anyMatch(line -> line.startsWith(beginning));
  }

  private Optional<String> rest(String beginning) {
    return said.stream()
        .filter(line -> line.startsWith(beginning))
        .map(line -> line.substring(beginning.length()))
        .findFirst();
  }

  @Override
  public void close() {
    process.close();
  }
}
