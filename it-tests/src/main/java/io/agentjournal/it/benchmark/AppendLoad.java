package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceStub;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs that append one event after the other, each when an earlier one is acknowledged. */
final class AppendLoad implements AutoCloseable {
  private static final Payload PAYLOAD =
      Payload.newBuilder().setJson(RowCommitLoad.PAYLOAD).build();

  private final ManagedChannel channel;
  private final RunJournalServiceStub journal;
  private final int runs;

  AppendLoad(String target, int runs) {
    this.channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
            .directExecutor()
            .build();
    this.journal = RunJournalServiceGrpc.newStub(channel);
    this.runs = runs;
  }

  /** How a run sends. */
  enum Sending {
    /** AppendEvents, a call for each event. */
    UNARY,
    /** AppendEventsSession, one call for the run, a message for each event. */
    STREAMED
  }

  /** Acknowledged appends in each second. Blocks. */
  double perSecond(Sending sending, int underWay, Duration turn) {
    AtomicLong acknowledged = new AtomicLong();
    Phaser running = new Phaser(1);
    long start = System.nanoTime();
    Turn ofRuns = new Turn(start + turn.toNanos(), acknowledged, running);
    for (int run = 0; run < runs; run++) {
      String runId = "benchmark-" + UUID.randomUUID();
      if (sending == Sending.STREAMED) {
        running.register();
        var unused = journal.appendEventsSession(new Streamed(runId, underWay, ofRuns));
        continue;
      }
      AtomicLong nextSeq = new AtomicLong();
      for (int appender = 0; appender < underWay; appender++) {
        running.register();
        new Unary(runId, nextSeq, ofRuns).append();
      }
    }
    running.arriveAndAwaitAdvance();
    return acknowledged.get() / ((System.nanoTime() - start) / 1e9);
  }

  private static Event event(long seq) {
    return Event.newBuilder()
        .setSeq(seq)
        .setKind(EventKind.EVENT_KIND_TOOL_RESULT)
        .setPayload(PAYLOAD)
        .build();
  }

  /** What all runs of a turn share. */
  private record Turn(long end, AtomicLong acknowledged, Phaser running) {
    boolean isOver() {
      return System.nanoTime() >= end;
    }
  }

  /** One append under way in a run. */
  private final class Unary implements StreamObserver<AppendEventsResponse> {
    private final String runId;
    private final AtomicLong nextSeq;
    private final Turn turn;

    Unary(String runId, AtomicLong nextSeq, Turn turn) {
      this.runId = runId;
      this.nextSeq = nextSeq;
      this.turn = turn;
    }

    void append() {
      journal.appendEvents(
          AppendEventsRequest.newBuilder()
              .setRunId(runId)
              .addEvents(event(nextSeq.getAndIncrement()))
              .build(),
          this);
    }

    @Override
    public void onNext(AppendEventsResponse answer) {
      turn.acknowledged().addAndGet(answer.getInserted());
    }

    @Override
    public void onError(Throwable failure) {
      System.err.println(failure);
      turn.running().arriveAndDeregister();
    }

    @Override
    public void onCompleted() {
      if (turn.isOver()) {
        turn.running().arriveAndDeregister();
      } else {
        append();
      }
    }
  }

  /** One call, with so many events under way in it. */
  private static final class Streamed
      implements ClientResponseObserver<AppendEventsSessionRequest, AppendEventsSessionResponse> {
    private final String runId;
    private final int underWay;
    private final Turn turn;
    private @Nullable ClientCallStreamObserver<AppendEventsSessionRequest> requests;
    private long nextSeq;
    private boolean isOver;

    Streamed(String runId, int underWay, Turn turn) {
      this.runId = runId;
      this.underWay = underWay;
      this.turn = turn;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AppendEventsSessionRequest> started) {
      requests = started;
      started.setOnReadyHandler(
          () -> {
            if (nextSeq == 0) {
              send(started, underWay);
            }
          });
    }

    private void send(ClientCallStreamObserver<AppendEventsSessionRequest> call, long upTo) {
      while (nextSeq < upTo) {
        AppendEventsSessionRequest.Builder message = AppendEventsSessionRequest.newBuilder();
        if (nextSeq == 0) {
          message.setOpen(EventsOpen.newBuilder().setRunId(runId));
        }
        call.onNext(message.addEvents(event(nextSeq++)).build());
      }
    }

    @Override
    public void onNext(AppendEventsSessionResponse answer) {
      ClientCallStreamObserver<AppendEventsSessionRequest> call = requests;
      if (call == null || isOver) {
        return;
      }
      if (turn.isOver()) {
        isOver = true;
        turn.acknowledged().addAndGet(answer.getInserted());
        call.onCompleted();
      } else {
        send(call, answer.getDurableEvents() + underWay);
      }
    }

    @Override
    public void onError(Throwable failure) {
      System.err.println(failure);
      turn.running().arriveAndDeregister();
    }

    @Override
    public void onCompleted() {
      turn.running().arriveAndDeregister();
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
