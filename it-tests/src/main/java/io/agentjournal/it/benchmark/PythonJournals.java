package io.agentjournal.it.benchmark;

import io.agentjournal.it.OwnPostgresProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Journals of Python libraries, under the load of a small program each, in an environment of their
 * own that is made for the purpose.
 */
final class PythonJournals {
  private static final String FOLDER = "benchmark/";
  private static final Pattern PER_SECOND = Pattern.compile("EVENTS_PER_SECOND ([0-9.]+)");

  private final Path directory;
  private final String python;

  private PythonJournals(Path directory, String python) {
    this.directory = directory;
    this.python = python;
  }

  /**
   * Null, and it is printed why: the property {@code journal.python} names no Python, or the
   * libraries could not be had. A Python without them gets an environment of its own with them.
   */
  static @Nullable PythonJournals installed(Path directory) {
    String python = System.getProperty("journal.python", "");
    if (python.isEmpty()) {
      System.out.println("SKIPPED: journals of Python libraries: give -Djournal.python=python3");
      return null;
    }
    try {
      if (has(directory, python)) {
        return new PythonJournals(directory, python);
      }
      String environment = directory.resolve("python").toString();
      run(directory, List.of(python, "-m", "venv", environment));
      String own = environment + "/bin/python";
      run(directory, List.of(own, "-m", "pip", "install", "-q", "praisonaiagents", "dbos"));
      return new PythonJournals(directory, own);
    } catch (IOException e) {
      System.out.println("SKIPPED: journals of Python libraries: " + e.getMessage());
      return null;
    }
  }

  private static boolean has(Path directory, String python) {
    try {
      String unused = run(directory, List.of(python, "-c", "import praisonaiagents, dbos"));
      return true;
    } catch (IOException without) {
      return false;
    }
  }

  /**
   * PraisonAI's RunJournal on SQLite.
   *
   * @param synchronous NORMAL as it comes, which a power cut takes commits from; FULL: an fsync for
   *     each
   */
  double sqlitePerSecond(int runs, Duration turn, String synchronous) throws IOException {
    Path file = directory.resolve("journal-" + System.nanoTime() + ".db");
    return perSecond("praisonai_run_journal.py", file.toString(), runs, turn, List.of(synchronous));
  }

  /** DBOS streams, written by workflows, in a database of their own beside the journal's. */
  double dbosPerSecond(OwnPostgresProcess postgres, int runs, Duration turn) throws IOException {
    URI jdbc = URI.create(postgres.jdbcUrl().substring("jdbc:".length()));
    String url =
        "postgresql://%s:%s@%s/dbos_streams"
            .formatted(
                postgres.user(),
                URLEncoder.encode(postgres.password(), StandardCharsets.UTF_8),
                jdbc.getAuthority());
    return perSecond("dbos_streams.py", url, runs, turn, List.of());
  }

  private double perSecond(String program, String where, int runs, Duration turn, List<String> more)
      throws IOException {
    Path file = directory.resolve(program);
    Files.write(file, resource(program));
    List<String> command =
        new ArrayList<>(
            List.of(
                python,
                file.toString(),
                where,
                Integer.toString(runs),
                Long.toString(turn.toSeconds()),
                RowCommitLoad.TEXT));
    command.addAll(more);
    String output = run(directory, command);
    Matcher told = PER_SECOND.matcher(output);
    if (!told.find()) {
      throw new IOException(program + " told no number: " + output);
    }
    return Double.parseDouble(told.group(1));
  }

  private static byte[] resource(String name) throws IOException {
    try (var stream = PythonJournals.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
      if (stream == null) {
        throw new IOException("no resource " + name);
      }
      return stream.readAllBytes();
    }
  }

  /** What it printed; fails when it failed. */
  private static String run(Path directory, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command.get(0) + " failed: " + output.strip());
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(e));
    }
    return output;
  }
}
