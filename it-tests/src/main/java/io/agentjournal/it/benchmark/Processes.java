package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What the kernel says of a server and of its PostgreSQL. */
final class Processes {
  private static final String CHECKPOINTER =
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";

  /** In a line of stat, counted from the state on: user and system time, in hundredths. */
  private static final int USER_TIME = 11;

  private static final int SYSTEM_TIME = 12;
  private static final int USER_TIME_OF_ENDED = 13;
  private static final int SYSTEM_TIME_OF_ENDED = 14;
  private static final double TICKS_PER_SECOND = 100;
  private static final double KILOBYTES = 1024;

  private final long server;
  private final ProcessHandle postmaster;

  private Processes(long server, ProcessHandle postmaster) {
    this.server = server;
    this.postmaster = postmaster;
  }

  static Processes of(Journal journal) throws SQLException {
    long checkpointer = journal.tables().number(CHECKPOINTER);
    return new Processes(
        journal.server().pid(),
        ProcessHandle.of(checkpointer).flatMap(ProcessHandle::parent).orElseThrow());
  }

  /** Of the server alone. */
  double residentMegabytes() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(server), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / KILOBYTES)
        .findFirst()
        .orElseThrow();
  }

  /** Of the server, of PostgreSQL and of those of its processes that have ended. */
  double cpuSeconds() throws IOException {
    List<Long> pids = new ArrayList<>(List.of(server, postmaster.pid()));
    postmaster.children().forEach(child -> pids.add(child.pid()));
    double seconds = ticks(postmaster.pid(), USER_TIME_OF_ENDED, SYSTEM_TIME_OF_ENDED);
    for (long pid : pids) {
      seconds += ticks(pid, USER_TIME, SYSTEM_TIME);
    }
    return seconds;
  }

  private static double ticks(long pid, int user, int system) throws IOException {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return (Long.parseLong(fields[user]) + Long.parseLong(fields[system])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      if (ProcessHandle.of(pid).isPresent()) {
        throw e;
      }
      // It has ended; its parent has its time now.
      return 0;
    }
  }
}
