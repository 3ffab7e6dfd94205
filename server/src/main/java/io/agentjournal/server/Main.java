package io.agentjournal.server;

import io.agentjournal.database.StartRefused;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/**
 * Serves until it is told to end. Standard output gets one line, once calls are answered; all else
 * goes to standard error. Ends with 0 after SIGTERM or SIGINT, 1 when it cannot start, 2 when it
 * does not understand its options.
 */
final class Main {
  private static final int CANNOT_START = 1;

  /** Netty tells the flight recorder of each buffer; to prepare that delays the first call. */
  static final String EVENTS_OF_EACH_BUFFER = "io.grpc.netty.shaded.io.netty.jfr.enabled";

  /** Made when the level is set. */
  private final Logger log = LoggerFactory.getLogger(Main.class);

  private final ServerOptions options = new ServerOptions();
  private final CompletableFuture<JournalServer> started = new CompletableFuture<>();

  private Main() {}

  public static void main(String[] arguments) {
    LogLevel.setByEnvironment();
    System.setProperty(EVENTS_OF_EACH_BUFFER, "false");
    EarlyLoading.begin();
    System.exit(new Main().run(arguments));
  }

  private int run(String[] arguments) {
    CommandLine command = new CommandLine(options);
    command.setExecutionStrategy(this::serve);
    return command.execute(arguments);
  }

  private int serve(ParseResult parsed) {
    Integer helpShown = CommandLine.executeHelpRequest(parsed);
    if (helpShown != null) {
      return helpShown;
    }
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "shutdown"));
    try {
      JournalServer server = new JournalServer(options.settings());
      System.out.println("agent-journal listens on " + server.address());
      log.info("Listens on {}", server.address());
      started.complete(server);
      server.awaitTermination();
      return CommandLine.ExitCode.OK;
    } catch (StartRefused e) {
      System.err.println("agentjournal-server: " + e.getMessage());
      started.completeExceptionally(e);
      return CANNOT_START;
    } catch (RuntimeException | Error e) {
      started.completeExceptionally(e);
      throw e;
    }
  }

  /**
   * On SIGTERM and SIGINT. One that comes during the start waits for it: PostgreSQL must not be
   * left behind. A server that was told to end has ended well, which the JVM would not say by
   * itself.
   */
  private void end() {
    JournalServer server;
    try {
      server = started.join();
    } catch (CompletionException startFailed) {
      return;
    }
    log.info("Told to end: what is under way is given its time");
    server.close();
    log.info("Ended");
    Runtime.getRuntime().halt(CommandLine.ExitCode.OK);
  }
}
