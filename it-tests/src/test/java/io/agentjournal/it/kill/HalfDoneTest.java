package io.agentjournal.it.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.StartedTurn;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.ToolResult;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceBlockingStub;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What belongs together is stored together: a transaction is held up, first in its middle and then
 * while it commits, and server and PostgreSQL are killed.
 */
final class HalfDoneTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");

  @TempDir static Path directory;

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = ServerProcess.start(directory, "--reconcile-interval=1h");
  }

  @AfterAll
  static void end() {
    server.close();
  }

  /** When every change of a submission, which has its event, is held up. */
  private enum Moment {
    IN_THE_MIDDLE(
        """
        CREATE TRIGGER held_up AFTER INSERT ON submission_events FOR EACH ROW EXECUTE FUNCTION hold_up()
        """),
    WHILE_IT_COMMITS(
        """
        CREATE CONSTRAINT TRIGGER held_up AFTER INSERT ON submission_events
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_up()
        """);

    private final String trigger;

    Moment(String trigger) {
      this.trigger = trigger;
    }
  }

  private enum Change {
    BEGINNING_AND_STREAM {
      @Override
      boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn) {
        return turns
            .beginTurnJournal(
                BeginTurnJournalRequest.newBuilder()
                    .setAttempt(turn.attempt())
                    .setTurnId("next")
                    .setStart(ProviderStart.getDefaultInstance())
                    .build())
            .getApplied();
      }
    },
    TOOL_REQUEST_AND_ENTRY {
      @Override
      boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn) {
        return turns.updateTurnJournalPhase(request(turn)).getApplied();
      }
    },
    TOOL_RESULT_AND_ENTRY {
      @Override
      void prepare(ManagedChannel channel, StartedTurn turn) {
        var unused =
            TurnJournalServiceGrpc.newBlockingStub(channel).updateTurnJournalPhase(request(turn));
      }

      @Override
      boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn) {
        return turns
            .updateToolCalls(
                UpdateToolCallsRequest.newBuilder()
                    .setAttempt(turn.attempt())
                    .setTurnId(turn.turnId())
                    .addUpdates(
                        ToolCallUpdate.newBuilder()
                            .setToolCallId("call")
                            .setResult(
                                ToolResult.newBuilder()
                                    .setKind(ToolResultKind.TOOL_RESULT_KIND_OK)
                                    .setEntry(entry("result"))))
                    .build())
            .getApplied();
      }
    },
    COMMIT_ENTRIES_AND_SETTLEMENT {
      @Override
      boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn) {
        return turns
            .commitTurnJournal(
                CommitTurnJournalRequest.newBuilder()
                    .setAttempt(turn.attempt())
                    .setTurnId(turn.turnId())
                    .addEntries(entry("answer"))
                    .setSettle(Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED))
                    .build())
            .getApplied();
      }
    },
    REPLACEMENT_STREAM_AND_PLAN {
      @Override
      boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn) {
        return turns
            .replaceTurnJournalAttempt(
                ReplaceTurnJournalAttemptRequest.newBuilder()
                    .setAttempt(turn.attempt())
                    .setNextAttemptId("successor")
                    .setLease(LeaseRequest.newBuilder().setOwner("worker-2"))
                    .build())
            .getApplied();
      }
    };

    void prepare(ManagedChannel channel, StartedTurn turn) {}

    abstract boolean call(TurnJournalServiceBlockingStub turns, StartedTurn turn);

    private static UpdateTurnJournalPhaseRequest request(StartedTurn turn) {
      return UpdateTurnJournalPhaseRequest.newBuilder()
          .setAttempt(turn.attempt())
          .setTurnId(turn.turnId())
          .setToolRequestRecorded(
              ToolRequest.newBuilder()
                  .addCalls(NewToolCall.newBuilder().setToolCallId("call").setName("tool"))
                  .addEntries(entry("request")))
          .build();
    }

    private static NewEntry entry(String id) {
      return NewEntry.newBuilder()
          .setEntryId(id)
          .setKind("message")
          .setPayload(Payload.newBuilder().setText(id))
          .build();
    }
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void killed_in_the_middle_of_it_all_is_done_or_nothing(Change change) throws Exception {
    StartedTurn turn = startedTurn(change);
    List<String> before = rows(turn.attempt());
    for (Moment moment : Moment.values()) {
      for (boolean postgresToo : new boolean[] {false, true}) {
        // Otherwise the one that is hardest to get right.
        if (THOROUGH || (postgresToo && moment == Moment.WHILE_IT_COMMITS)) {
          killDuring(change, turn, moment, postgresToo);
          assertEquals(before, rows(turn.attempt()), moment + " " + postgresToo);
        }
      }
    }
    ManagedChannel channel = server.channel();
    try {
      assertTrue(change.call(TurnJournalServiceGrpc.newBlockingStub(channel), turn));
      assertNotEquals(before, rows(turn.attempt()));
    } finally {
      channel.shutdownNow();
    }
  }

  private static StartedTurn startedTurn(Change change) {
    ManagedChannel channel = server.channel();
    try {
      StartedTurn turn = StartedTurn.on(channel, Duration.ofHours(1));
      change.prepare(channel, turn);
      return turn;
    } finally {
      channel.shutdownNow();
    }
  }

  private static void killDuring(
      Change change, StartedTurn turn, Moment moment, boolean postgresToo) throws Exception {
    ManagedChannel channel = server.channel();
    try {
      execute(
          """
          CREATE OR REPLACE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(600); RETURN NULL; END'
          """);
      execute(moment.trigger);
      CompletableFuture<Boolean> call =
          CompletableFuture.supplyAsync(
              () -> change.call(TurnJournalServiceGrpc.newBlockingStub(channel), turn));
      Wait.until("the transaction is held up", HalfDoneTest::isHeldUp);
      server.kill9();
      if (postgresToo) {
        server.postgres().kill9();
      }
      Wait.until("the call has ended", call::isDone);
      server.startAgain();
      execute("DROP TRIGGER held_up ON submission_events");
    } finally {
      channel.shutdownNow();
    }
  }

  private static boolean isHeldUp() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
      return row.next() && row.getInt(1) == 1;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        server.postgres().jdbcUrl(), server.postgres().user(), server.postgres().password());
  }

  /** All that is stored of the submission and its session. */
  private static List<String> rows(AttemptRef attempt) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = connect()) {
      for (String table :
          List.of(
              "submissions",
              "attempts",
              "receipts",
              "turn_journals",
              "turns",
              "tool_calls",
              "streams",
              "submission_events",
              "session_queue")) {
        add(
            rows,
            connection,
            "SELECT t::text FROM " + table + " t WHERE submission_id = ?",
            attempt);
      }
      for (String table : List.of("sessions", "entries")) {
        add(
            rows,
            connection,
            "SELECT t::text FROM "
                + table
                + " t WHERE session_key = (SELECT session_key FROM submissions WHERE submission_id = ?)",
            attempt);
      }
    }
    return rows;
  }

  private static void add(
      List<String> rows, Connection connection, String query, AttemptRef attempt)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query + " ORDER BY 1")) {
      statement.setString(1, attempt.getSubmissionId());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows.add(row.getString(1));
        }
      }
    }
  }
}
