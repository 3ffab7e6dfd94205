package io.agentjournal.it.promise;

import io.agentjournal.it.JavaProcess;
import io.agentjournal.it.client.UnreliableNetwork;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The place of one agent, with a network of its own to the server: an agent lives there, dies, and
 * is followed by another. Used by one thread.
 */
final class AgentSlot implements AutoCloseable {
  /** Stops nowhere. */
  static final String NOWHERE = "nowhere";

  private final String name;
  private final Path directory;
  private final UnreliableNetwork network;
  private final List<String> said = new CopyOnWriteArrayList<>();
  private JavaProcess process;
  private String stopAt = NOWHERE;
  private int saidBefore;

  AgentSlot(String name, int serverPort, Path directory, String stopAt) {
    this.name = name;
    this.directory = directory;
    this.network = new UnreliableNetwork(serverPort);
    this.process = launch(stopAt);
  }

  UnreliableNetwork network() {
    return network;
  }

  String name() {
    return name;
  }

  /** The place that its agent is to stop at. */
  String stopAt() {
    return stopAt;
  }

  boolean hasStopped() {
    String stopped = Boundaries.STOPPED + stopAt;
    return said.stream().skip(saidBefore).anyMatch(stopped::equals);
  }

  boolean isWorking() {
    return said.size() > saidBefore;
  }

  /** SIGKILL, and another agent that knows nothing. */
  void killAndReplace(String nextStopAt) {
    process.kill9();
    requireNoSurprise();
    process = launch(nextStopAt);
  }

  /** SIGSTOP. */
  void freeze() {
    process.freeze();
  }

  /** SIGCONT. */
  void thaw() {
    process.thaw();
  }

  /** All that its agents have said. */
  List<String> said() {
    return List.copyOf(said);
  }

  private void requireNoSurprise() {
    for (String line : said) {
      if (line.startsWith(PromiseAgent.FAILED)) {
        throw new AssertionError(name + ": " + line + process.told());
      }
    }
  }

  private JavaProcess launch(String nextStopAt) {
    stopAt = nextStopAt;
    saidBefore = said.size();
    return JavaProcess.startMain(
        PromiseAgent.class,
        List.of(network.target(), name, directory.toString(), nextStopAt),
        directory.resolve(name + ".log"),
        said::add);
  }

  /** Dead for good. */
  @Override
  public void close() {
    try (network) {
      process.close();
    }
    requireNoSurprise();
  }
}
