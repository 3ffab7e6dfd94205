package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.v1.AppendMode.APPEND_MODE_KEEP_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.Database;
import io.agentjournal.database.Transactions;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceImplBase;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** AppendEventsSession calls into which a test can look, in a server with hardly any memory. */
final class AppendSessionCallTest {
  private static final long MAX_WAITING_BYTES = 1_000;

  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun large = new JournalledRun(SERVER);
  private final JournalledRun small = new JournalledRun(SERVER);

  @Test
  void call_that_makes_room_does_not_wait_for_one_that_waited_for_it() throws Exception {
    large.open();
    try (Database database = new Database(SERVER.database(), 3);
        BlockingPool pool = new BlockingPool(2, 10)) {
      Transactions transactions = new Transactions(database);
      try (AppendLanes lanes = new AppendLanes(transactions, pool, 1, 100, MAX_WAITING_BYTES)) {
        Sessions sessions = new Sessions(new AppendCalls(pool, lanes, new Draining()));
        Server server =
            NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .directExecutor()
                .addService(sessions)
                .build()
                .start();
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        try {
          oneMakesRoomForTheOther(channel, lanes, sessions);
        } finally {
          channel.shutdownNow();
          server.shutdownNow();
        }
      }
    }
  }

  private void oneMakesRoomForTheOther(ManagedChannel channel, AppendLanes lanes, Sessions sessions)
      throws Exception {
    EventSession makesRoom = EventSession.on(channel).open(large.id, APPEND_MODE_KEEP_FIRST);
    EventSession waits;
    try (Connection other = TestPostgres.connect(SERVER.database());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM runs WHERE run_id = '" + large.id + "' FOR UPDATE");
      makesRoom.append(decision(0, "\"" + "x".repeat(2_000) + "\""));
      Wait.until("the memory is full", lanes.memory()::isFull);
      waits =
          EventSession.on(channel)
              .send(
                  AppendEventsSessionRequest.newBuilder()
                      .setOpen(EventsOpen.newBuilder().setRunId(small.id))
                      .addEvents(decision(0, "1"))
                      .build());
      waits.awaitDurable(1);
      assertEquals(2, sessions.begun.size());
      synchronized (sessions.begun.get(1)) {
        other.rollback();
        makesRoom.awaitDurable(1);
      }
    }
    assertEquals(2, waits.append(decision(1, "1")).halfClose().awaitEnd().getDurableEvents());
    assertEquals(1, makesRoom.halfClose().awaitEnd().getDurableEvents());
    assertTrue(lanes.memory().tryTake(MAX_WAITING_BYTES), "all that was taken is given back");
  }

  private static final class Sessions extends RunJournalServiceImplBase {
    private final AppendCalls calls;
    private final List<StreamObserver<AppendEventsSessionRequest>> begun =
        new CopyOnWriteArrayList<>();

    Sessions(AppendCalls calls) {
      this.calls = calls;
    }

    @Override
    public StreamObserver<AppendEventsSessionRequest> appendEventsSession(
        StreamObserver<AppendEventsSessionResponse> observer) {
      StreamObserver<AppendEventsSessionRequest> call = calls.session(observer);
      begun.add(call);
      return call;
    }
  }
}
