package io.agentjournal.client;

import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamState;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One stream on a real gRPC server that misbehaves when it is told to: what a test of the real one
 * cannot make happen at the very message. Each AppendSession call takes the next behaviour; a call
 * without one behaves well.
 */
final class MemoryJournal extends SegmentServiceGrpc.SegmentServiceImplBase
    implements AutoCloseable {
  private final Server server;
  private final Queue<Behaviour> behaviours = new ArrayDeque<>();
  private final Queue<List<ReadSegmentsResponse>> reads = new ArrayDeque<>();
  private final List<Segment> stored = new ArrayList<>();
  private final List<ReadSegmentsRequest> readRequests = new ArrayList<>();
  private UnaryOperator<AppendSessionResponse.Builder> answering = answer -> answer;
  private StreamState state = StreamState.STREAM_STATE_OPEN;
  private StreamEnd end = StreamEnd.getDefaultInstance();
  private int calls;
  private long messages;

  /** What happens to the {@code after}th message with segments or the end, once it is stored. */
  record Behaviour(int after, Ending ending) {}

  enum Ending {
    SILENCE,
    CLEAN_END,
    UNAVAILABLE,
    INTERNAL
  }

  MemoryJournal() {
    this(Duration.ofDays(1), Duration.ofDays(1));
  }

  MemoryJournal(Duration connectionAge, Duration grace) {
    try {
      server =
          Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
              .maxConnectionAge(
                  connectionAge.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
              .maxConnectionAgeGrace(grace.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
              .addService(this)
              .build()
              .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  JournalClientBuilder newClient() {
    return JournalClient.to("127.0.0.1:" + server.getPort()).plaintext();
  }

  void stop() {
    server.shutdownNow();
  }

  @Override
  public void close() {
    stop();
  }

  // --- what a test says and asks

  synchronized void behave(int after, Ending ending) {
    behaviours.add(new Behaviour(after, ending));
  }

  synchronized void answerReadWith(ReadSegmentsResponse... messages) {
    reads.add(List.of(messages));
  }

  /** Changes every answer of AppendSession. */
  synchronized void answering(UnaryOperator<AppendSessionResponse.Builder> answering) {
    this.answering = answering;
  }

  synchronized void store(String... texts) {
    for (String text : texts) {
      stored.add(Segment.newBuilder().setText(text).build());
    }
  }

  synchronized List<String> texts() {
    return stored.stream().map(Segment::getText).toList();
  }

  /** The default instance: none. */
  synchronized StreamEnd end() {
    return end;
  }

  synchronized int calls() {
    return calls;
  }

  synchronized long messages() {
    return messages;
  }

  synchronized List<ReadSegmentsRequest> readRequests() {
    return List.copyOf(readRequests);
  }

  // --- the service

  @Override
  public synchronized StreamObserver<AppendSessionRequest> appendSession(
      StreamObserver<AppendSessionResponse> answers) {
    calls++;
    return new Call(behaviours.poll(), answers);
  }

  @Override
  public synchronized void readSegments(
      ReadSegmentsRequest request, StreamObserver<ReadSegmentsResponse> answers) {
    readRequests.add(request);
    List<ReadSegmentsResponse> script = reads.poll();
    if (script == null) {
      int first = (int) request.getStartIndex();
      int next = (int) Math.min(stored.size(), first + request.getLimit());
      script =
          List.of(
              run(first, stored.subList(first, next)),
              end(ReadEndReason.READ_END_REASON_LIMIT_REACHED, next));
    }
    script.forEach(answers::onNext);
    answers.onCompleted();
  }

  static ReadSegmentsResponse run(long first, String... texts) {
    return run(
        first,
        List.of(texts).stream().map(text -> Segment.newBuilder().setText(text).build()).toList());
  }

  static ReadSegmentsResponse end(ReadEndReason reason, long nextIndex) {
    return ReadSegmentsResponse.newBuilder()
        .setEnd(ReadEnd.newBuilder().setReason(reason).setNextIndex(nextIndex))
        .build();
  }

  private static ReadSegmentsResponse run(long first, List<Segment> segments) {
    return ReadSegmentsResponse.newBuilder()
        .setRun(SegmentRun.newBuilder().setFirstIndex(first).addAllSegments(segments))
        .build();
  }

  private final class Call implements StreamObserver<AppendSessionRequest> {
    private final @Nullable Behaviour behaviour;
    private final StreamObserver<AppendSessionResponse> answers;
    private int seen;
    private long appended;
    private long duplicates;
    private boolean over;

    Call(@Nullable Behaviour behaviour, StreamObserver<AppendSessionResponse> answers) {
      this.behaviour = behaviour;
      this.answers = answers;
    }

    @Override
    public void onNext(AppendSessionRequest message) {
      synchronized (MemoryJournal.this) {
        if (over) {
          return;
        }
        if (message.hasOpen()) {
          answer();
          return;
        }
        messages++;
        take(message);
        seen++;
        if (behaviour == null || seen < behaviour.after()) {
          answer();
          return;
        }
        switch (behaviour.ending()) {
          case SILENCE -> {}
          case CLEAN_END -> answers.onCompleted();
          case UNAVAILABLE -> answers.onError(new StatusRuntimeException(Status.UNAVAILABLE));
          case INTERNAL -> answers.onError(new StatusRuntimeException(Status.INTERNAL));
        }
        over = behaviour.ending() != Ending.SILENCE;
      }
    }

    @Override
    public void onError(Throwable cancelled) {
      over = true;
    }

    @Override
    public void onCompleted() {
      synchronized (MemoryJournal.this) {
        if (!over && (behaviour == null || behaviour.ending() != Ending.SILENCE)) {
          answers.onCompleted();
        }
      }
    }

    private void take(AppendSessionRequest message) {
      long index = message.getFirstIndex();
      for (Segment segment : message.getSegmentsList()) {
        if (index == stored.size()) {
          stored.add(segment);
          appended++;
        } else if (index < stored.size() && stored.get((int) index).equals(segment)) {
          duplicates++;
        } else {
          over = true;
          answers.onError(new StatusRuntimeException(Status.ALREADY_EXISTS));
          return;
        }
        index++;
      }
      if (message.hasEnd()) {
        end = message.getEnd();
        state = StreamState.STREAM_STATE_COMPLETE;
      }
    }

    private void answer() {
      if (!over) {
        answers.onNext(
            answering
                .apply(
                    AppendSessionResponse.newBuilder()
                        .setNextIndex(stored.size())
                        .setAppended(appended)
                        .setDuplicates(duplicates)
                        .setState(state))
                .build());
      }
    }
  }
}
