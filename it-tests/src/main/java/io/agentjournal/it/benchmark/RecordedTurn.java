package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the server has PostgreSQL do for one whole turn: the statements of its transactions, with
 * their parameters, taken from PostgreSQL's log.
 *
 * @param transactions in the order of their commits
 * @param name what the names in it begin with
 * @param streamId of its stream
 */
record RecordedTurn(List<List<RecordedStatement>> transactions, String name, String streamId) {
  private static final Pattern LINE =
      Pattern.compile("[-0-9]+ [:.0-9]+ UTC \\[(\\d+)\\] ([A-Z]+): {2}(.*)");

  private static final Pattern EXECUTED =
      Pattern.compile("(?:execute [^:]+|statement): (.*)", Pattern.DOTALL);

  private static final Pattern BEGIN = Pattern.compile("BEGIN.*");
  private static final String COMMIT = "COMMIT";
  private static final String ROLLBACK = "ROLLBACK";
  private static final String DETAIL = "DETAIL";

  private static final String STREAM =
      "SELECT stream_id FROM streams WHERE namespace = 'default' AND stream_key LIKE ?";

  /** Of which the last is taken: by then every connection logs. */
  private static final int TURNS = 5;

  /** A turn has a begin, a start, a flush, a mark and a commit. */
  private static final int LEAST_TRANSACTIONS = 5;

  /** Uses the first few submissions. Blocks. */
  static RecordedTurn of(Journal journal, SubmissionCopies submissions)
      throws SQLException, IOException {
    JdbcAccess tables = journal.tables();
    tables.execute("ALTER SYSTEM SET log_statement = 'all'");
    tables.execute("SELECT pg_reload_conf()");
    long from = Files.size(journal.postgresLog());
    TurnLoad turns = new TurnLoad(journal, submissions, false);
    for (int number = 0; number < TURNS; number++) {
      turns.one(number);
    }
    tables.execute("ALTER SYSTEM RESET log_statement");
    tables.execute("SELECT pg_reload_conf()");
    String name = submissions.name(TURNS - 1);
    String streamId = Long.toString(tables.number(STREAM, name + "%"));
    List<List<RecordedStatement>> transactions =
        transactions(entries(journal.postgresLog(), from)).stream()
            .filter(each -> each.stream().anyMatch(one -> one.mentions(name, streamId)))
            .toList();
    if (transactions.size() < LEAST_TRANSACTIONS) {
      throw new IOException(transactions.size() + " transactions of a turn are in the log");
    }
    return new RecordedTurn(transactions, name, streamId);
  }

  /** The number of the first submission that it has not used. */
  static int used() {
    return TURNS;
  }

  private record Entry(String process, String kind, String text) {}

  private static List<Entry> entries(Path log, long from) throws IOException {
    byte[] all = Files.readAllBytes(log);
    String text = new String(all, (int) from, (int) (all.length - from), StandardCharsets.UTF_8);
    List<Entry> entries = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Matcher first = LINE.matcher(line);
      if (first.matches()) {
        entries.add(new Entry(first.group(1), first.group(2), first.group(3)));
      } else if (!entries.isEmpty() && line.startsWith("\t")) {
        Entry begun = entries.remove(entries.size() - 1);
        entries.add(
            new Entry(begun.process(), begun.kind(), begun.text() + "\n" + line.substring(1)));
      }
    }
    return entries;
  }

  private static List<List<RecordedStatement>> transactions(List<Entry> entries) {
    List<List<RecordedStatement>> committed = new ArrayList<>();
    Map<String, List<RecordedStatement>> open = new HashMap<>();
    for (Entry entry : entries) {
      List<RecordedStatement> statements = open.get(entry.process());
      Matcher executed = EXECUTED.matcher(entry.text());
      if (entry.kind().equals(DETAIL)) {
        if (statements != null && !statements.isEmpty()) {
          RecordedStatement last = statements.remove(statements.size() - 1);
          statements.add(last.withParameters(entry.text()));
        }
      } else if (executed.matches()) {
        String sql = executed.group(1).strip();
        if (BEGIN.matcher(sql).matches()) {
          open.put(entry.process(), new ArrayList<>());
        } else if (sql.equals(COMMIT) || sql.equals(ROLLBACK)) {
          if (sql.equals(COMMIT) && statements != null) {
            committed.add(statements);
          }
          open.remove(entry.process());
        } else if (statements != null) {
          statements.add(RecordedStatement.of(sql));
        }
      }
    }
    return committed;
  }
}
