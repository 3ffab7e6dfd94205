package io.agentjournal.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What PostgreSQL's {@code postmaster.pid} says at one moment. It outlives a PostgreSQL that was
 * killed, and its process id may then belong to anyone: {@link #runs()} tells.
 */
record PostmasterFile(Path cluster, long pid, boolean ready) {
  private static final int STATUS_LINE = 7;

  /**
   * Above what any kernel gives out. PostgreSQL refuses to start while the named process lives,
   * whosever it is; with this number it goes on to what tells for certain, whether anyone is still
   * attached to the old shared memory.
   */
  private static final long NOBODY = Integer.MAX_VALUE;

  static Optional<PostmasterFile> in(Path cluster) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file(cluster));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return lines.isEmpty() ? Optional.empty() : Optional.of(parse(cluster, lines));
  }

  private static PostmasterFile parse(Path cluster, List<String> lines) {
    boolean ready = lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready");
    try {
      long pid = Long.parseLong(lines.get(0).strip());
      return new PostmasterFile(cluster, pid, ready && pid != NOBODY);
    } catch (NumberFormatException e) {
      return new PostmasterFile(cluster, NOBODY, false);
    }
  }

  private static Path file(Path cluster) {
    return cluster.resolve("postmaster.pid");
  }

  /** Whether the named process is there, is a PostgreSQL, and works on this directory. */
  boolean runs() {
    return ProcessHandle.of(pid)
        .map(ProcessHandle::info)
        .filter(info -> info.command().filter(PostmasterFile::isPostgres).isPresent())
        .flatMap(ProcessHandle.Info::arguments)
        .filter(arguments -> Arrays.asList(arguments).contains(cluster.toString()))
        .isPresent();
  }

  /** Linux appends a word to the path of a program that was deleted since. */
  private static boolean isPostgres(String command) {
    Path name = Path.of(command).getFileName();
    return name != null && name.toString().split(" ", 2)[0].equals("postgres");
  }

  /** Takes out the process id, and leaves what PostgreSQL itself needs to know. */
  void disown() throws IOException {
    List<String> lines = Files.readAllLines(file(cluster));
    lines.set(0, Long.toString(NOBODY));
    Files.write(file(cluster), lines);
  }
}
