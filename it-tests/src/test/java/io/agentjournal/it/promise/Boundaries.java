package io.agentjournal.it.promise;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.agentjournal.it.promise.Outside.Acknowledged;
import io.agentjournal.it.promise.Outside.Write;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sits between an agent and the journal: notes every write that was answered, and stops at the
 * place that it was told of, for ever: before a call is sent, after its answer has come, and around
 * the model and the tools. Who wants to kill the agent there does so. Thread-safe.
 */
final class Boundaries implements ClientInterceptor {
  static final String STOPPED = "stopped at ";
  static final String MODEL_ASKED = "model asked";
  static final String MODEL_IN_THE_MIDDLE = "model in the middle";
  static final String TOOL_CALLED = "tool called";
  static final String TOOL_DONE = "tool done";

  private static final String CLAIM = "ClaimNextSubmission";
  private static final String APPEND = "AppendSession";
  private static final List<String> WRITES =
      List.of(
          "MarkInputApplied",
          "BeginTurnJournal",
          "UpdateTurnJournalPhase",
          "start of a tool",
          "result of a tool",
          "CommitTurnJournal",
          "settlement");

  private static final int OCCURRENCES = 3;

  private final String stopAt;
  private final Outside outside;
  private final Map<String, Integer> reached = new ConcurrentHashMap<>();

  /**
   * @param stopAt one of {@link #all}, or anything else: it does not stop
   */
  Boundaries(String stopAt, Outside outside) {
    this.stopAt = stopAt;
    this.outside = outside;
  }

  /** Every place, at its first times in an agent's life. */
  static List<String> all() {
    List<String> places = new ArrayList<>();
    for (int occurrence = 1; occurrence <= OCCURRENCES; occurrence++) {
      String at = " " + occurrence;
      places.add(CLAIM + " answered" + at);
      for (String write : WRITES) {
        places.add(write + " asked" + at);
        places.add(write + " answered" + at);
      }
      places.add(MODEL_ASKED + at);
      places.add(APPEND + " opened" + at);
      places.add(MODEL_IN_THE_MIDDLE + at);
      places.add(APPEND + " ending" + at);
      places.add(APPEND + " ended" + at);
      places.add(TOOL_CALLED + at);
      places.add(TOOL_DONE + at);
    }
    return places;
  }

  void reach(String place) {
    int count = reached.merge(place, 1, Integer::sum);
    if (stopAt.equals(place + " " + count)) {
      System.out.println(STOPPED + stopAt);
      System.out.flush();
      while (true) {
        LockSupport.park();
      }
    }
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    String name = String.valueOf(method.getBareMethodName());
    ClientCall<ReqT, RespT> call = next.newCall(method, options);
    if (name.equals(APPEND)) {
      return new Observed<>(call, new Append());
    }
    return WRITES.contains(name) || name.equals("UpdateToolCalls") || name.equals(CLAIM)
        ? new Observed<>(call, new Unary(name))
        : call;
  }

  /** What is told of one call. */
  private interface CallObserver {
    void asked(Object request);

    void answered(Object answer);

    void ended(Status status);
  }

  private static final class Observed<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private final CallObserver observer;

    Observed(ClientCall<ReqT, RespT> call, CallObserver observer) {
      super(call);
      this.observer = observer;
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(RespT message) {
              observer.answered(message);
              super.onMessage(message);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              observer.ended(status);
              super.onClose(status, trailers);
            }
          },
          headers);
    }

    @Override
    public void sendMessage(ReqT message) {
      observer.asked(message);
      super.sendMessage(message);
    }
  }

  private final class Unary implements CallObserver {
    private String what;
    private long sentMicros;
    private AttemptRef attempt = AttemptRef.getDefaultInstance();

    Unary(String name) {
      this.what = name;
    }

    @Override
    public void asked(Object request) {
      if (request instanceof UpdateToolCallsRequest update) {
        what = update.getUpdates(0).hasStarted() ? "start of a tool" : "result of a tool";
      } else if (request instanceof CommitTurnJournalRequest commit && commit.hasSettle()) {
        what = "settlement";
      }
      if (field(request, "attempt") instanceof AttemptRef named) {
        attempt = named;
      }
      reach(what + " asked");
      sentMicros = Outside.nowMicros();
    }

    @Override
    public void answered(Object answer) {
      boolean applied = Boolean.TRUE.equals(field(answer, "applied"));
      if (!what.equals(CLAIM)) {
        outside.wrote(
            new Write(
                sentMicros, attempt.getSubmissionId(), attempt.getAttemptId(), what, applied));
      }
      if (!what.equals(CLAIM) || applied) {
        reach(what + " answered");
      }
    }

    @Override
    public void ended(Status status) {
      // The answer was all that matters.
    }
  }

  private static @Nullable Object field(Object message, String name) {
    Message asMessage = (Message) message;
    FieldDescriptor field = asMessage.getDescriptorForType().findFieldByName(name);
    return field == null ? null : asMessage.getField(field);
  }

  private final class Append implements CallObserver {
    private String streamKey = "";
    private boolean isOpened;
    private boolean isEnding;

    @Override
    public void asked(Object request) {
      AppendSessionRequest message = (AppendSessionRequest) request;
      if (message.hasOpen()) {
        streamKey = message.getOpen().getStreamKey();
      }
      if (message.hasEnd()) {
        isEnding = true;
        reach(APPEND + " ending");
      }
    }

    @Override
    public void answered(Object answer) {
      outside.acknowledged(
          new Acknowledged(streamKey, ((AppendSessionResponse) answer).getNextIndex()));
      if (!isOpened) {
        isOpened = true;
        reach(APPEND + " opened");
      }
    }

    @Override
    public void ended(Status status) {
      if (isEnding && status.isOk()) {
        reach(APPEND + " ended");
      }
    }
  }
}
