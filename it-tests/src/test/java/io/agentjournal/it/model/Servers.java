package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.ServerProcess;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Servers on one database, whose reconcilers leave what the sequences do alone. */
final class Servers implements AutoCloseable {
  private final List<ServerProcess> processes;
  private final List<ManagedChannel> channels;
  private final Clock clock;

  private Servers(List<ServerProcess> processes, Clock clock) {
    this.processes = processes;
    this.channels = processes.stream().map(ServerProcess::channel).toList();
    this.clock = clock;
  }

  static Servers startTwo(DatabaseAddress database, Path directory)
      throws IOException, SQLException {
    return new Servers(
        List.of(start(null, database, directory, "one"), start(null, database, directory, "other")),
        new Clock(database));
  }

  /** One alone, with classes that differ. */
  static Servers startPatched(Path patch, DatabaseAddress database, Path directory)
      throws IOException, SQLException {
    return new Servers(List.of(start(patch, database, directory, "patched")), new Clock(database));
  }

  private static ServerProcess start(
      @Nullable Path patch, DatabaseAddress database, Path directory, String name)
      throws IOException {
    return ServerProcess.startPatched(
        patch,
        database.jdbcUrl(),
        String.valueOf(database.user()),
        String.valueOf(database.password()),
        Files.createDirectory(directory.resolve(name)),
        "--reconcile-interval=1h",
        "--pool-size=8",
        "--lanes=2");
  }

  Player player() {
    return new Player(channels.get(0), channels.get(channels.size() - 1), clock);
  }

  @Override
  public void close() throws SQLException {
    channels.forEach(ManagedChannel::shutdownNow);
    processes.forEach(ServerProcess::close);
    clock.close();
  }
}
