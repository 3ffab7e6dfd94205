package io.agentjournal.testing;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.OwnPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real, durable PostgreSQL: the one that {@code -Djournal.jdbc-url} names, or else one of our own
 * in a temporary directory.
 */
public final class TestPostgres implements AutoCloseable {
  /** Where all tests of this machine find the unpacked binaries. */
  public static final Path BINARIES =
      Path.of(System.getProperty("user.home"), ".cache", "agentjournal");

  private final @Nullable Path directory;
  private final @Nullable OwnPostgres own;
  private final DatabaseAddress address;

  public TestPostgres() {
    String url = System.getProperty("journal.jdbc-url", "");
    if (url.isEmpty()) {
      this.directory = temporaryDirectory();
      this.own = new OwnPostgres(directory, BINARIES);
      this.address = own.address();
    } else {
      this.directory = null;
      this.own = null;
      this.address =
          new DatabaseAddress(
              url,
              System.getProperty("journal.jdbc-user"),
              System.getProperty("journal.jdbc-password"));
    }
  }

  private static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("agentjournal-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  /** Another, empty database of the same PostgreSQL. */
  public DatabaseAddress emptyDatabase() {
    String name = "test_" + UUID.randomUUID().toString().replace("-", "");
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    String url = address.jdbcUrl().replaceFirst("/[^/?]*(\\?|$)", "/" + name + "$1");
    return new DatabaseAddress(url, address.user(), address.password());
  }

  /** Outside every pool, committing by itself. */
  public static Connection connect(DatabaseAddress address) throws SQLException {
    return DriverManager.getConnection(address.jdbcUrl(), address.user(), address.password());
  }

  @Override
  public void close() throws IOException {
    if (own != null && directory != null) {
      own.close();
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(path);
        }
      }
    }
  }
}
