package io.agentjournal.it.benchmark;

import io.agentjournal.client.JournalClient;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceStub;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;

/** Runs that append one event after the other, each when an earlier one is acknowledged. */
final class AppendLoad implements AutoCloseable {
  private final JournalClient client;
  private final RunJournalServiceStub journal;
  private final int runs;
  private final int underWay;

  AppendLoad(String target, int runs, int underWay) {
    this.client = JournalClient.to(target).plaintext().build();
    this.journal = RunJournalServiceGrpc.newStub(client.channel());
    this.runs = runs;
    this.underWay = underWay;
  }

  /** Acknowledged appends in each second. Blocks. */
  double perSecond(Duration turn) {
    AtomicLong acknowledged = new AtomicLong();
    Phaser running = new Phaser(1);
    long start = System.nanoTime();
    long end = start + turn.toNanos();
    for (int run = 0; run < runs; run++) {
      String runId = "benchmark-" + UUID.randomUUID();
      AtomicLong nextSeq = new AtomicLong();
      for (int appender = 0; appender < underWay; appender++) {
        running.register();
        new Appender(runId, nextSeq, end, acknowledged, running).append();
      }
    }
    running.arriveAndAwaitAdvance();
    return acknowledged.get() / ((System.nanoTime() - start) / 1e9);
  }

  /** One append under way in a run. */
  private final class Appender implements StreamObserver<AppendEventsResponse> {
    private final String runId;
    private final AtomicLong nextSeq;
    private final long end;
    private final AtomicLong acknowledged;
    private final Phaser running;

    Appender(String runId, AtomicLong nextSeq, long end, AtomicLong acknowledged, Phaser running) {
      this.runId = runId;
      this.nextSeq = nextSeq;
      this.end = end;
      this.acknowledged = acknowledged;
      this.running = running;
    }

    void append() {
      journal.appendEvents(
          AppendEventsRequest.newBuilder()
              .setRunId(runId)
              .addEvents(
                  Event.newBuilder()
                      .setSeq(nextSeq.getAndIncrement())
                      .setKind(EventKind.EVENT_KIND_TOOL_RESULT)
                      .setPayload(Payload.newBuilder().setJson(RowCommitLoad.PAYLOAD)))
              .build(),
          this);
    }

    @Override
    public void onNext(AppendEventsResponse answer) {
      acknowledged.addAndGet(answer.getInserted());
    }

    @Override
    public void onError(Throwable failure) {
      System.err.println(failure);
      running.arriveAndDeregister();
    }

    @Override
    public void onCompleted() {
      if (System.nanoTime() < end) {
        append();
      } else {
        running.arriveAndDeregister();
      }
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
