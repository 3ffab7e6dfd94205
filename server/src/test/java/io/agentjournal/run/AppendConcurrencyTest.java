package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceFutureStub;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Appends that meet: in a lane, on a lock, on a bad row. */
final class AppendConcurrencyTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  private final RunJournalServiceFutureStub journal =
      RunJournalServiceGrpc.newFutureStub(SERVER.channel());

  @Test
  void many_runs_append_at_once_and_every_acknowledged_event_is_there_once() throws Exception {
    List<JournalledRun> runs = new ArrayList<>();
    List<Future<AppendEventsResponse>> appends = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      runs.add(new JournalledRun(SERVER));
    }
    for (int seq = 0; seq < 20; seq++) {
      for (JournalledRun each : runs) {
        appends.add(append(journal, each, decision(seq, "" + seq)));
      }
    }

    for (Future<AppendEventsResponse> append : appends) {
      assertEquals(1, append.get().getInserted());
    }
    for (JournalledRun each : runs) {
      assertEquals(20, each.events().size());
    }
  }

  @Test
  void appends_of_the_same_event_at_once_are_stored_one_after_the_other() throws Exception {
    List<Future<AppendEventsResponse>> appends = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      appends.add(append(journal, run, decision(0, "" + i)));
    }

    int inserted = 0;
    int replaced = 0;
    for (Future<AppendEventsResponse> append : appends) {
      inserted += append.get().getInserted();
      replaced += append.get().getReplaced();
    }

    assertEquals(1, inserted);
    assertEquals(49, replaced);
    assertEquals(List.of("49"), run.payloads());
  }

  @Test
  void two_servers_append_to_the_same_new_runs_and_all_is_stored() throws Exception {
    try (JournalServer second = SERVER.anotherServer()) {
      ManagedChannel channel = JournalExtension.channelTo(second);
      RunJournalServiceFutureStub there = RunJournalServiceGrpc.newFutureStub(channel);
      List<JournalledRun> runs = new ArrayList<>();
      List<Future<AppendEventsResponse>> appends = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        JournalledRun each = new JournalledRun(SERVER);
        runs.add(each);
        appends.add(append(journal, each, call(0, "1")));
        appends.add(append(there, each, result(0, "1")));
      }
      for (Future<AppendEventsResponse> append : appends) {
        assertEquals(1, append.get().getInserted());
      }
      for (JournalledRun each : runs) {
        assertEquals(2, each.events().size());
      }
      channel.shutdownNow();
    }
  }

  @Test
  void run_that_somebody_has_locked_holds_up_no_other_and_is_appended_to_when_it_is_free()
      throws Exception {
    run.open();
    try (Connection other = lock(run)) {
      Future<AppendEventsResponse> held = append(journal, run, decision(0, "1"));
      for (int i = 0; i < 20; i++) {
        assertEquals(
            1, append(journal, new JournalledRun(SERVER), decision(0, "1")).get().getInserted());
      }
      assertTrue(!held.isDone(), "its run is locked");
      other.rollback();
      assertEquals(1, held.get().getInserted());
    }
  }

  @Test
  void run_that_stays_locked_is_unavailable_and_nothing_was_stored() throws Exception {
    run.open();
    try (Connection other = lock(run)) {
      refusalOf(append(journal, run, decision(0, "1")))
          .mustBe(
              Status.Code.UNAVAILABLE,
              ErrorReason.ERROR_REASON_DATABASE_UNAVAILABLE,
              "outcome",
              "nothing_changed");
      other.rollback();
    }
    assertEquals(List.of(), run.events());
  }

  @Test
  void append_that_waits_behind_a_claim_is_judged_by_the_claim() throws Exception {
    run.open();
    try (Connection other = lock(run);
        Statement claim = other.createStatement()) {
      claim.executeUpdate(
          "UPDATE runs SET claim_id = 'claim-2', owner = 'gateway-2',"
              + " lease_expires_at = now() + interval '30 s' WHERE run_id = '"
              + run.id
              + "'");
      Future<AppendEventsResponse> zombie = append(journal, run, decision(0, "1"));
      Wait.until("the append waits for the run", () -> isWaitedFor(other));
      other.commit();
      refusalOf(zombie)
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RUN_CLAIMED,
              "claim_id",
              "claim-2");
    }
    assertEquals(List.of(), run.events());
  }

  @Test
  void data_that_the_database_refuses_fails_its_own_append_only() throws Exception {
    String poison = "{\"poison\":\"" + run.id + "\"}";
    try (Connection connection = TestPostgres.connect(SERVER.database());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER TABLE run_events ADD CONSTRAINT no_poison CHECK (payload <> '"
              + poison
              + "'::bytea) NOT VALID");
      try {
        List<Future<AppendEventsResponse>> good = new ArrayList<>();
        List<Future<AppendEventsResponse>> bad = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          good.add(append(journal, new JournalledRun(SERVER), decision(0, "1")));
          if (i == 50) {
            bad.add(append(journal, run, decision(0, poison)));
          }
        }
        for (Future<AppendEventsResponse> append : good) {
          assertEquals(1, append.get().getInserted());
        }
        assertEquals(Status.Code.INTERNAL, failureOf(bad.get(0)).getStatus().getCode());
      } finally {
        statement.execute("ALTER TABLE run_events DROP CONSTRAINT no_poison");
      }
    }
    assertEquals(List.of(), run.events());
  }

  private static Future<AppendEventsResponse> append(
      RunJournalServiceFutureStub stub, JournalledRun to, Event event) {
    return stub.appendEvents(
        AppendEventsRequest.newBuilder().setRunId(to.id).addEvents(event).build());
  }

  private static Refused refusalOf(Future<AppendEventsResponse> append) {
    return Refused.of(failureOf(append));
  }

  private static StatusRuntimeException failureOf(Future<AppendEventsResponse> append) {
    ExecutionException failure = assertThrows(ExecutionException.class, append::get);
    return assertInstanceOf(StatusRuntimeException.class, failure.getCause());
  }

  /** A transaction that has the run locked. */
  private static Connection lock(JournalledRun locked) throws SQLException {
    Connection connection = TestPostgres.connect(SERVER.database());
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM runs WHERE run_id = ? FOR NO KEY UPDATE")) {
      statement.setString(1, locked.id);
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
      }
    }
    return connection;
  }

  /** Whether some session waits for the one of this connection. */
  private static boolean isWaitedFor(Connection holder) {
    try (Statement statement = holder.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity"
                    + " WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")) {
      return row.next() && row.getInt(1) > 0;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
