package io.agentjournal.testing;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.server.JournalServer;
import io.agentjournal.server.ServerOptions;
import io.agentjournal.server.ServerSettings;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Gives a test class a server in this JVM, on the shared PostgreSQL and a free port, and a channel
 * to it over TCP. All classes share them: isolate tests by keys. To be registered as a static
 * field.
 */
public final class JournalExtension implements BeforeAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(JournalExtension.class);

  private @Nullable Running running;

  @Override
  public void beforeAll(ExtensionContext context) {
    DatabaseAddress database = PostgresExtension.shared(context).address();
    running =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(Running.class, key -> Running.on(database), Running.class);
  }

  public ManagedChannel channel() {
    return running().channel();
  }

  public JournalServer server() {
    return running().server();
  }

  public DatabaseAddress database() {
    return running().database();
  }

  /** Another server on the same database; the test closes it. */
  public JournalServer anotherServer(String... options) {
    return new JournalServer(settings(database(), options));
  }

  /**
   * A channel to a server in this JVM, with the limits of a stock client; the test shuts it down.
   */
  public static ManagedChannel channelTo(JournalServer server) {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
  }

  /** Of a small server on a free port; further options override. */
  public static ServerSettings settings(DatabaseAddress database, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--port=0", "--pool-size=12", "--lanes=2", "--drain-timeout=2s"));
    // What a test leaves for somebody to settle stays as it is, unless the test is about that.
    arguments.add("--reconcile-interval=1h");
    arguments.add("--compact-percent=0");
    arguments.add("--jdbc-url=" + database.jdbcUrl());
    if (database.user() != null) {
      arguments.add("--jdbc-user=" + database.user());
    }
    if (database.password() != null) {
      arguments.add("--jdbc-password=" + database.password());
    }
    arguments.addAll(List.of(options));
    return ServerOptions.parse(arguments.toArray(String[]::new));
  }

  private Running running() {
    return Objects.requireNonNull(running, "to be registered with @RegisterExtension, static");
  }

  private record Running(DatabaseAddress database, JournalServer server, ManagedChannel channel)
      implements AutoCloseable {
    static Running on(DatabaseAddress database) {
      JournalServer server = new JournalServer(settings(database));
      return new Running(database, server, channelTo(server));
    }

    @Override
    public void close() {
      channel.shutdownNow();
      server.close();
    }
  }
}
