package io.agentjournal.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's own PostgreSQL, as durable as any: in a data directory that survives restarts, on a
 * port of the loopback interface, with a password. To start it:
 *
 * <ol>
 *   <li>lock the data directory against another server of ours;
 *   <li>make the cluster, if there is none, beside its place and move it there when it is complete;
 *   <li>stop the PostgreSQL that a killed server left running here; a process id that meanwhile
 *       belongs to someone else is left alone;
 *   <li>start PostgreSQL and wait until it takes connections.
 * </ol>
 *
 * Until {@link #close}, a PostgreSQL that ends is started again. That stops it properly and
 * unlocks; it deletes nothing.
 */
public final class OwnPostgres implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnPostgres.class);

  private static final String USER = "agentjournal";
  private static final String MAJOR_VERSION = "18";
  private static final String LOOPBACK = "127.0.0.1";
  private static final int START_SECONDS = 600;
  private static final Duration STOP = Duration.ofSeconds(60);
  private static final int PORTS_TRIED = 3;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * Given on the command line, which no configuration file overrides. First what the server's
   * promises need, then what suits rows that are appended at a high rate.
   */
  private static final List<String> SETTINGS =
      List.of(
          "fsync=on",
          "full_page_writes=on",
          "synchronous_commit=on",
          "listen_addresses=" + LOOPBACK,
          "unix_socket_directories=",
          "timezone=UTC",
          "log_timezone=UTC",
          "max_connections=120",
          "shared_buffers=192MB",
          "wal_buffers=16MB",
          "wal_compression=off",
          "max_wal_size=2GB",
          "checkpoint_timeout=15min",
          "autovacuum_naptime=30s",
          "jit=off");

  private final DataDirectory directory;
  private final PostgresPrograms programs;
  private final DatabaseAddress address;
  private final PostgresKeeper keeper;

  /** Blocks until PostgreSQL takes connections. The binaries are cached in their directory. */
  public OwnPostgres(Path dataDirectory, Path binariesDirectory) {
    this.directory = new DataDirectory(dataDirectory);
    try {
      directory.rotateLog();
      PostgresBinaries binaries = PostgresBinaries.unpackedInto(binariesDirectory);
      this.programs = new PostgresPrograms(binaries, directory.log());
      String password = directory.password();
      if (!Files.exists(directory.cluster())) {
        makeCluster();
      }
      requireVersion();
      stopLeftOver();
      int port = start();
      String url = "jdbc:postgresql://%s:%d/postgres".formatted(LOOPBACK, port);
      this.address = new DatabaseAddress(url, USER, password);
      this.keeper = new PostgresKeeper(running(), () -> startAgain(port));
    } catch (IOException e) {
      directory.close();
      throw new StartRefused("PostgreSQL did not start: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  private void makeCluster() throws IOException {
    Path incomplete = directory.clusterInTheMaking();
    PostgresBinaries.deleteTree(incomplete);
    programs.run(
        "initdb",
        List.of(
            "--pgdata=" + incomplete,
            "--username=" + USER,
            "--pwfile=" + directory.passwordFile(),
            "--auth=scram-sha-256",
            // The password is 192 random bits: stretching it would only slow connections down.
            "--set=scram_iterations=1",
            "--encoding=UTF8",
            "--locale=C",
            "--data-checksums",
            "--no-instructions"));
    Files.move(incomplete, directory.cluster());
    DataDirectory.makeDurable(directory.root());
  }

  private void requireVersion() throws IOException {
    String version = Files.readString(directory.cluster().resolve("PG_VERSION")).strip();
    if (!version.equals(MAJOR_VERSION)) {
      throw new StartRefused(
          "the data directory %s was made by PostgreSQL %s, this server brings %s"
              .formatted(directory.root(), version, MAJOR_VERSION));
    }
  }

  private void stopLeftOver() throws IOException {
    Optional<PostmasterFile> found = PostmasterFile.in(directory.cluster());
    if (found.isEmpty()) {
      return;
    }
    PostmasterFile left = found.get();
    if (left.runs()) {
      LOG.warn("Stopping the PostgreSQL (process {}) that a killed server left here", left.pid());
      stop();
    } else {
      LOG.info("PostgreSQL (process {}) was killed here; it recovers now", left.pid());
      left.disown();
    }
  }

  /**
   * Returns the port. Another process may take a free port before PostgreSQL does: so try again.
   */
  private int start() throws IOException {
    for (int tries = 1; ; tries++) {
      int port = freePort();
      if (startOn(port)) {
        return port;
      }
      if (tries == PORTS_TRIED) {
        throw new IOException("see " + directory.log());
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket =
        new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      return socket.getLocalPort();
    }
  }

  /** {@code pg_ctl} also gives PostgreSQL a session of its own: Ctrl-C reaches the server alone. */
  private boolean startOn(int port) throws IOException {
    List<String> options = new ArrayList<>();
    options.add("-p " + port);
    SETTINGS.forEach(setting -> options.add("-c " + setting));
    Process starter =
        programs.start(
            "pg_ctl",
            List.of(
                "start",
                "--pgdata=" + directory.cluster(),
                "--log=" + directory.log(),
                "--wait",
                "--timeout=" + START_SECONDS,
                "--options=" + String.join(" ", options)));
    // It looks ten times a second; a start is faster than that.
    while (starter.isAlive()) {
      if (PostmasterFile.in(directory.cluster()).filter(PostmasterFile::ready).isPresent()) {
        return true;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return starter.exitValue() == 0;
  }

  private ProcessHandle startAgain(int port) throws IOException {
    stopLeftOver();
    if (!startOn(port)) {
      throw new IOException("see " + directory.log());
    }
    return running();
  }

  private ProcessHandle running() throws IOException {
    return PostmasterFile.in(directory.cluster())
        .flatMap(file -> ProcessHandle.of(file.pid()))
        .orElseThrow(() -> new IOException("it ended at once; see " + directory.log()));
  }

  /** Ends sessions, rolls back what is open, writes a checkpoint and waits for the end. */
  private void stop() throws IOException {
    programs.run(
        "pg_ctl",
        List.of(
            "stop",
            "--pgdata=" + directory.cluster(),
            "--mode=fast",
            // It would look ten times a second.
            "--no-wait",
            "--silent"));
    long beganNanos = System.nanoTime();
    while (PostmasterFile.in(directory.cluster()).filter(PostmasterFile::runs).isPresent()) {
      if (System.nanoTime() - beganNanos > STOP.toNanos()) {
        throw new IOException("PostgreSQL did not end in " + STOP + "; see " + directory.log());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  @Override
  public void close() {
    keeper.close();
    try {
      stop();
    } catch (IOException e) {
      LOG.warn("PostgreSQL did not stop; the next start sees to it", e);
    } finally {
      directory.close();
    }
  }
}
