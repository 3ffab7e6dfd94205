package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.database.Database;
import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class AppendLanesTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final RunId run = new RunId(Namespace.DEFAULT, "run-" + UUID.randomUUID());

  @Test
  void more_than_may_wait_is_refused_at_once_and_what_is_answered_makes_room() throws Exception {
    try (Database database = new Database(SERVER.database(), 3);
        BlockingPool pool = new BlockingPool(2, 10);
        Connection other = TestPostgres.connect(SERVER.database());
        Statement statement = other.createStatement()) {
      Transactions transactions = new Transactions(database);
      try (AppendLanes lanes = new AppendLanes(transactions, pool, 1, 100, 1_200)) {
        assertEquals(1, append(lanes, 0, 1_000).get().inserted());
        other.setAutoCommit(false);
        statement.execute("SELECT 1 FROM runs WHERE run_id = '" + run.id() + "' FOR UPDATE");
        CompletableFuture<Appended> waiting = append(lanes, 1, 600);

        assertThrows(Overloaded.class, () -> append(lanes, 2, 500));
        assertTrue(!waiting.isDone(), "the run is locked");
        other.rollback();
        assertEquals(1, waiting.get().inserted());
        assertEquals(1, append(lanes, 2, 500).get().inserted());
      }
    }
  }

  @Test
  void what_waits_is_committed_before_the_lanes_are_closed() throws Exception {
    CompletableFuture<Appended> last = new CompletableFuture<>();
    try (Database database = new Database(SERVER.database(), 3);
        BlockingPool pool = new BlockingPool(2, 10)) {
      Transactions transactions = new Transactions(database);
      try (AppendLanes lanes = new AppendLanes(transactions, pool, 1, 10, 1_000_000)) {
        for (int seq = 0; seq < 200; seq++) {
          last = append(lanes, seq, 10);
        }
      }
      assertTrue(last.isDone());
      assertEquals(1, last.get().inserted());
    }
  }

  private CompletableFuture<Appended> append(AppendLanes lanes, long seq, int size) {
    Payload payload = new Payload(PayloadCase.DATA, ByteString.copyFrom(new byte[size]));
    NewEvent event = new NewEvent(new EventKey(seq, EventKind.TOOL_RESULT), payload, null, null);
    CompletableFuture<Appended> answer = new CompletableFuture<>();
    lanes.append(
        new RunAppend(run, List.of(event), AppendMode.REPLACE, null),
        new AppendAnswer() {
          @Override
          public void appended(Appended appended) {
            answer.complete(appended);
          }

          @Override
          public void failed(Throwable failure) {
            answer.completeExceptionally(failure);
          }
        });
    return answer;
  }
}
