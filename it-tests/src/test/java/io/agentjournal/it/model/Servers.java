package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.it.ServerProcess;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** Two servers on one database, whose reconcilers leave what the sequences do alone. */
record Servers(
    ServerProcess one,
    ServerProcess other,
    ManagedChannel toOne,
    ManagedChannel toOther,
    Clock clock)
    implements AutoCloseable {

  static Servers start(DatabaseAddress database, Path directory) throws IOException, SQLException {
    ServerProcess one = start(database, directory, "one");
    ServerProcess other = start(database, directory, "other");
    return new Servers(one, other, one.channel(), other.channel(), new Clock(database));
  }

  private static ServerProcess start(DatabaseAddress database, Path directory, String name)
      throws IOException {
    return ServerProcess.startOn(
        database.jdbcUrl(),
        String.valueOf(database.user()),
        String.valueOf(database.password()),
        Files.createDirectory(directory.resolve(name)),
        "--reconcile-interval=1h",
        "--pool-size=8",
        "--lanes=2");
  }

  Player player() {
    return new Player(toOne, toOther, clock);
  }

  @Override
  public void close() throws SQLException {
    toOne.shutdownNow();
    toOther.shutdownNow();
    one.close();
    other.close();
    clock.close();
  }
}
