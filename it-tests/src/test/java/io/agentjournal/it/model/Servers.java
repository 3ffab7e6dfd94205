package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.ServerProcess;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** Servers on one database, whose reconcilers leave what the sequences do alone. */
final class Servers implements AutoCloseable {
  private static final String[] OPTIONS = {"--reconcile-interval=1h", "--pool-size=8", "--lanes=2"};

  private final List<ServerProcess> processes;
  private final List<ManagedChannel> channels;
  private final Clock clock;

  private Servers(List<ServerProcess> processes, Clock clock) {
    this.processes = processes;
    this.channels = processes.stream().map(ServerProcess::channel).toList();
    this.clock = clock;
  }

  /**
   * Two that share a database.
   *
   * @param isForLong so long that it pays to compile for speed; otherwise they rather start fast
   */
  static Servers startTwo(boolean isForLong, DatabaseAddress database, Path directory)
      throws IOException, SQLException {
    return new Servers(
        List.of(
            start(isForLong, database, directory, "one"),
            start(isForLong, database, directory, "other")),
        new Clock(database));
  }

  private static ServerProcess start(
      boolean isForLong, DatabaseAddress database, Path directory, String name) throws IOException {
    String url = database.jdbcUrl();
    String user = String.valueOf(database.user());
    String password = String.valueOf(database.password());
    Path room = Files.createDirectory(directory.resolve(name));
    return isForLong
        ? ServerProcess.startToMeasureOn(url, user, password, room, OPTIONS)
        : ServerProcess.startOn(url, user, password, room, OPTIONS);
  }

  /** One alone, whose classes may be exchanged. */
  static Servers startOne(int debugPort, DatabaseAddress database, Path directory)
      throws IOException, SQLException {
    return new Servers(
        List.of(
            ServerProcess.startDebuggableOn(
                debugPort,
                database.jdbcUrl(),
                String.valueOf(database.user()),
                String.valueOf(database.password()),
                Files.createTempDirectory(directory, "alone"),
                OPTIONS)),
        new Clock(database));
  }

  /**
   * One alone, with classes that differ.
   *
   * @param patch a folder of classes
   */
  static Servers startPatched(Path patch, DatabaseAddress database, Path directory)
      throws IOException, SQLException {
    return new Servers(
        List.of(
            ServerProcess.startPatched(
                patch,
                database.jdbcUrl(),
                String.valueOf(database.user()),
                String.valueOf(database.password()),
                Files.createTempDirectory(directory, "patched"),
                OPTIONS)),
        new Clock(database));
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
