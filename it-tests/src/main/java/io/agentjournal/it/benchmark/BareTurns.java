package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.RecordedStatement.Names;
import io.agentjournal.it.benchmark.TurnLoad.Numbering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A bare program that has PostgreSQL do for each turn what the server has it do for one that is
 * alone: the same statements in the same transactions, by JDBC, from as many connections as the
 * server has. It decides nothing, and nobody talks to it.
 */
final class BareTurns {
  static final String NAME = "the same statements by JDBC, 16 connections";

  private static final int CONNECTIONS = 16;

  private final JdbcAccess tables;
  private final SubmissionCopies submissions;
  private final RecordedTurn turn;

  BareTurns(JdbcAccess tables, SubmissionCopies submissions, RecordedTurn turn) {
    this.tables = tables;
    this.submissions = submissions;
    this.turn = turn;
  }

  /** Turns in a second, as the tables have them. Blocks. */
  double perSecond(Numbering numbering, Duration time) throws Exception {
    long before = TurnLoad.committed(tables, submissions);
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      long start = System.nanoTime();
      List<Future<?>> programs = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        programs.add(
            threads.submit(
                () -> {
                  turnsUntil(numbering, start + time.toNanos());
                  return null;
                }));
      }
      for (Future<?> program : programs) {
        program.get();
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      return (TurnLoad.committed(tables, submissions) - before) / seconds;
    } finally {
      threads.shutdown();
    }
  }

  private void turnsUntil(Numbering numbering, long end) throws SQLException {
    try (Connection connection = tables.connect()) {
      connection.setAutoCommit(false);
      Map<RecordedStatement, PreparedStatement> prepared = new HashMap<>();
      for (List<RecordedStatement> transaction : turn.transactions()) {
        for (RecordedStatement statement : transaction) {
          prepared.put(statement, connection.prepareStatement(statement.sql()));
        }
      }
      long number = numbering.take();
      while (number >= 0 && System.nanoTime() < end) {
        run(connection, prepared, number);
        number = numbering.take();
      }
    }
  }

  private void run(
      Connection connection, Map<RecordedStatement, PreparedStatement> prepared, long number)
      throws SQLException {
    Names names = new Names(turn.name(), turn.streamId(), submissions.name(number));
    String streamId = "0";
    for (List<RecordedStatement> transaction : turn.transactions()) {
      for (RecordedStatement statement : transaction) {
        PreparedStatement own = prepared.get(statement);
        if (own != null) {
          streamId = statement.run(own, names, streamId);
        }
      }
      connection.commit();
    }
  }
}
