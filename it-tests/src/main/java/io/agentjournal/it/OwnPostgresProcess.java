package io.agentjournal.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The PostgreSQL that a server runs on its data directory, as seen from outside. */
public final class OwnPostgresProcess {
  private static final int PORT_LINE = 3;
  private static final long END_SECONDS = 20;

  private final Path dataDirectory;

  OwnPostgresProcess(Path dataDirectory) {
    this.dataDirectory = dataDirectory;
  }

  public String jdbcUrl() {
    String port = postmasterFile().get(PORT_LINE).strip();
    return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(port);
  }

  public String user() {
    return "agentjournal";
  }

  public String password() {
    try {
      return Files.readString(dataDirectory.resolve("password"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL, as of a machine that loses its power, but for what the kernel has of its files. */
  public void kill9() {
    postmaster().ifPresent(OwnPostgresProcess::destroy);
  }

  /** Ends it, if a server that was killed has left it running. */
  void end() {
    postmaster()
        .ifPresent(
            postmaster -> {
              postmaster.destroy();
              try {
                postmaster.onExit().get(END_SECONDS, TimeUnit.SECONDS);
              } catch (TimeoutException stays) {
                destroy(postmaster);
              } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
  }

  private static void destroy(ProcessHandle postmaster) {
    postmaster.destroyForcibly();
    postmaster.onExit().join();
  }

  /** A process id that meanwhile belongs to somebody else is left alone. */
  private Optional<ProcessHandle> postmaster() {
    List<String> lines = postmasterFile();
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(lines.get(0).strip())).filter(this::isOurs);
  }

  private boolean isOurs(ProcessHandle process) {
    return process
        .info()
        .arguments()
        .filter(arguments -> Arrays.stream(arguments).anyMatch(this::namesDirectory))
        .isPresent();
  }

  private boolean namesDirectory(String argument) {
    return argument.contains(dataDirectory.resolve("postgresql").toString());
  }

  private List<String> postmasterFile() {
    try {
      return Files.readAllLines(dataDirectory.resolve("postgresql").resolve("postmaster.pid"));
    } catch (NoSuchFileException notRunning) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
