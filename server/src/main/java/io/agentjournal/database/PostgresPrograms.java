package io.agentjournal.database;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts PostgreSQL's programs. PostgreSQL refuses to run as root; root therefore starts them in a
 * user namespace of their own ({@code unshare -U}), in which they are nobody and yet own root's
 * files.
 */
final class PostgresPrograms {
  private static final String ROOT = "root";

  private final PostgresBinaries binaries;
  private final Path log;
  private final List<String> prefix;

  PostgresPrograms(PostgresBinaries binaries, Path log) throws IOException {
    this.binaries = binaries;
    this.log = log;
    this.prefix =
        System.getProperty("user.name").equals(ROOT) ? List.of("unshare", "-U") : List.of();
    if (!prefix.isEmpty() && finish(start(List.of("unshare", "-U", "true"))) != 0) {
      throw new StartRefused(
          "PostgreSQL does not run as root, and this machine lets root make no user namespace: start"
              + " the server as another user, or name a database with --jdbc-url");
    }
  }

  /** The program's output goes to the log. */
  Process start(String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(binaries.program(program).toString());
    command.addAll(arguments);
    return start(command);
  }

  /** Blocks until the program has ended; throws unless it ended well. */
  void run(String program, List<String> arguments) throws IOException {
    int code = finish(start(program, arguments));
    if (code != 0) {
      throw new IOException(program + " ended with " + code + "; see " + log);
    }
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LC_ALL", "C");
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  /** Waits through interruption: half started is worse than late. */
  private static int finish(Process process) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (process.waitFor(Long.MAX_VALUE, TimeUnit.NANOSECONDS)) {
            return process.exitValue();
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
