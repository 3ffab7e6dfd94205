package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceStub;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Agents that take one claimed submission after the other and do a whole turn in each. */
final class TurnLoad {
  static final int SEGMENTS = 200;

  private static final int AGENTS = 64;
  private static final String TURN = "turn";

  private static final List<Segment> SEGMENTS_OF_A_TURN =
      Collections.nCopies(SEGMENTS, SegmentLoad.SEGMENT);

  private static final String COMMITTED =
      "SELECT count(*) FROM turn_journals WHERE submission_id LIKE ? AND phase = 'committed'";

  private final Journal journal;
  private final SubmissionCopies submissions;
  private final boolean eachAMessage;
  private final AtomicLong failed = new AtomicLong();

  /**
   * @param eachAMessage each segment is a message of its own; else one message has them all
   */
  TurnLoad(Journal journal, SubmissionCopies submissions, boolean eachAMessage) {
    this.journal = journal;
    this.submissions = submissions;
    this.eachAMessage = eachAMessage;
  }

  /** Turns in a second, with as many of the submissions as there is time for. Blocks. */
  double perSecond(Numbering numbering, Duration time) throws SQLException, IOException {
    long before = committed(journal.tables(), submissions);
    long start = System.nanoTime();
    run(numbering, start + time.toNanos(), AGENTS);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (failed.get() > 0) {
      throw new IOException(failed.get() + " turns failed");
    }
    return (committed(journal.tables(), submissions) - before) / seconds;
  }

  /** A single turn. Blocks. */
  void one(long number) {
    Numbering single = new Numbering(number, number + 1);
    run(single, System.nanoTime(), 1);
  }

  static long committed(JdbcAccess tables, SubmissionCopies submissions) throws SQLException {
    return tables.number(COMMITTED, submissions.mark() + "%");
  }

  private void run(Numbering numbering, long end, int agents) {
    Phaser running = new Phaser(1);
    for (int agent = 0; agent < agents; agent++) {
      running.register();
      new Agent(journal.connections().of(agent), numbering, end, running).next();
    }
    running.arriveAndAwaitAdvance();
  }

  /** Which submissions are still to be had. Thread-safe. */
  static final class Numbering {
    private final AtomicLong next;
    private final long end;

    Numbering(long first, long end) {
      this.next = new AtomicLong(first);
      this.end = end;
    }

    /** Negative: none. */
    long take() {
      long number = next.getAndIncrement();
      return number < end ? number : -1;
    }
  }

  private final class Agent {
    private final Channel channel;
    private final TurnJournalServiceStub turns;
    private final Numbering numbering;
    private final long end;
    private final Phaser running;
    private boolean hasBegun;

    Agent(Channel channel, Numbering numbering, long end, Phaser running) {
      this.channel = channel;
      this.turns = TurnJournalServiceGrpc.newStub(channel);
      this.numbering = numbering;
      this.end = end;
      this.running = running;
    }

    void next() {
      long number = hasBegun && System.nanoTime() >= end ? -1 : numbering.take();
      hasBegun = true;
      if (number < 0) {
        running.arriveAndDeregister();
      } else {
        begin(submissions.attempt(number));
      }
    }

    private void begin(AttemptRef attempt) {
      turns.beginTurnJournal(
          BeginTurnJournalRequest.newBuilder().setAttempt(attempt).setTurnId(TURN).build(),
          then(begun -> start(attempt)));
    }

    private void start(AttemptRef attempt) {
      turns.updateTurnJournalPhase(
          UpdateTurnJournalPhaseRequest.newBuilder()
              .setAttempt(attempt)
              .setTurnId(TURN)
              .setProviderStarted(ProviderStart.getDefaultInstance())
              .build(),
          then(started -> append(attempt, started.getJournal().getStreamKey())));
    }

    private void append(AttemptRef attempt, String streamKey) {
      StreamOpen open = StreamOpen.newBuilder().setStreamKey(streamKey).setAttempt(attempt).build();
      if (eachAMessage) {
        StreamObserver<AppendSegmentsRequest> messages =
            SegmentServiceGrpc.newStub(channel)
                .appendSegments(then(appended -> consume(attempt, streamKey)));
        for (int index = 0; index < SEGMENTS; index++) {
          AppendSegmentsRequest.Builder message = AppendSegmentsRequest.newBuilder();
          if (index == 0) {
            message.setOpen(open);
          }
          messages.onNext(
              message.setFirstIndex(index).addSegments(SEGMENTS_OF_A_TURN.get(index)).build());
        }
        messages.onCompleted();
      } else {
        SegmentServiceGrpc.newStub(channel)
            .putSegments(
                PutSegmentsRequest.newBuilder()
                    .setOpen(open)
                    .setFirstIndex(0)
                    .addAllSegments(SEGMENTS_OF_A_TURN)
                    .build(),
                then(appended -> consume(attempt, streamKey)));
      }
    }

    private void consume(AttemptRef attempt, String streamKey) {
      turns.markStreamConsumed(
          MarkStreamConsumedRequest.newBuilder()
              .setAttempt(attempt)
              .setTurnId(TURN)
              .setStreamKey(streamKey)
              .setExpectedNextIndex(SEGMENTS)
              .build(),
          then(consumed -> commit(attempt)));
    }

    private void commit(AttemptRef attempt) {
      turns.commitTurnJournal(
          CommitTurnJournalRequest.newBuilder().setAttempt(attempt).setTurnId(TURN).build(),
          then(committed -> next()));
    }

    private <T> Then<T> then(Consumer<T> next) {
      return new Then<>(next, failed, running);
    }
  }

  /** Goes on with the only answer; a failure is the agent's last. */
  private record Then<T>(Consumer<T> next, AtomicLong failed, Phaser running)
      implements StreamObserver<T> {
    @Override
    public void onNext(T answer) {
      next.accept(answer);
    }

    @Override
    public void onError(Throwable failure) {
      System.err.println(failure);
      failed.incrementAndGet();
      running.arriveAndDeregister();
    }

    @Override
    public void onCompleted() {}
  }
}
