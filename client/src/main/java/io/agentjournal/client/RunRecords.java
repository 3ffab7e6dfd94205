package io.agentjournal.client;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.GetReplayIndexRequest;
import io.agentjournal.v1.GetReplayIndexResponse;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a run has recorded: which events all of them, their payloads as far as there is room; the
 * others are read when they are asked for. Thread-safe; blocks.
 */
final class RunRecords {
  private static final long DEADLINE_SECONDS = 60;
  private static final long MAX_KEPT_BYTES = 64L << 20;

  private final RepeatedCall calls;
  private final RunJournalServiceBlockingStub journal;
  private final String runId;
  private final String claimId;
  private final Map<RecordedEvent, Kept> recorded = new ConcurrentHashMap<>();
  private final AtomicLong keptBytes = new AtomicLong();

  /** The JSON text; null: to be read. */
  private record Kept(@Nullable String json) {}

  RunRecords(JournalTransport transport, String runId, String claimId) {
    this.calls = new RepeatedCall(transport);
    this.journal = RunJournalServiceGrpc.newBlockingStub(transport.calls());
    this.runId = runId;
    this.claimId = claimId;
  }

  /** Reads what is recorded so far. */
  void load() {
    calls.answer(
        () -> {
          recorded.clear();
          keptBytes.set(0);
          Iterator<GetReplayIndexResponse> messages =
              journal.getReplayIndex(GetReplayIndexRequest.newBuilder().setRunId(runId).build());
          boolean ended = false;
          while (messages.hasNext()) {
            GetReplayIndexResponse message = messages.next();
            message.getEventsList().forEach(this::load);
            ended = message.hasEnd();
          }
          if (!ended) {
            throw cut();
          }
          return recorded.size();
        });
  }

  private void load(Event event) {
    RecordedEvent key = new RecordedEvent(event.getSeq(), event.getKind());
    boolean isText = event.getPayload().getBodyCase() != Payload.BodyCase.DATA;
    ByteString bytes = isText ? bytesOf(event.getPayload()) : ByteString.EMPTY;
    boolean isWhole = bytes.size() == event.getPayloadSizeBytes();
    keep(key, isWhole ? bytes.toStringUtf8() : null);
  }

  private void keep(RecordedEvent key, @Nullable String json) {
    boolean fits = json != null && keptBytes.addAndGet(json.length()) <= MAX_KEPT_BYTES;
    recorded.put(key, new Kept(fits ? json : null));
  }

  /** The payload; null: nothing is recorded there. */
  @Nullable String find(RecordedEvent key) {
    Kept kept = recorded.get(key);
    if (kept == null) {
      return null;
    }
    return kept.json() != null ? kept.json() : read(key);
  }

  /** Answers what is recorded then: this, or what was there before. */
  String keepFirst(RecordedEvent key, String json) {
    AppendEventsResponse answer = append(key, json, AppendMode.APPEND_MODE_KEEP_FIRST);
    String first = answer.getInserted() == 1 ? json : read(key);
    keep(key, first);
    return first;
  }

  /** Refused when something else is there. */
  void putOnce(RecordedEvent key, String json) {
    append(key, json, AppendMode.APPEND_MODE_REFUSE_OTHER);
    keep(key, json);
  }

  private AppendEventsResponse append(RecordedEvent key, String json, AppendMode mode) {
    AppendEventsRequest request =
        AppendEventsRequest.newBuilder()
            .setRunId(runId)
            .setClaimId(claimId)
            .setMode(mode)
            .addEvents(
                Event.newBuilder()
                    .setSeq(key.seq())
                    .setKind(key.kind())
                    .setPayload(Payload.newBuilder().setJson(json)))
            .build();
    return calls.answer(
        () -> journal.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS).appendEvents(request));
  }

  private String read(RecordedEvent key) {
    ListEventsRequest.Builder request =
        ListEventsRequest.newBuilder().setRunId(runId).setStartSeq(key.seq()).addKinds(key.kind());
    if (key.seq() < Long.MAX_VALUE) {
      request.setEndSeq(key.seq() + 1);
    }
    return calls.answer(() -> whole(journal.listEvents(request.build())));
  }

  private String whole(Iterator<ListEventsResponse> messages) {
    ByteString bytes = ByteString.EMPTY;
    Payload last = null;
    boolean ended = false;
    while (messages.hasNext()) {
      ListEventsResponse message = messages.next();
      for (Event part : message.getEventsList()) {
        bytes = part.getPayloadOffset() == 0 ? ByteString.EMPTY : bytes;
        bytes = bytes.concat(bytesOf(part.getPayload()));
        last = part.getPayload();
      }
      ended = message.hasEnd();
    }
    if (!ended) {
      throw cut();
    }
    if (last == null) {
      throw new IllegalStateException("an event of run " + runId + " is not there any more");
    }
    return bytes.toStringUtf8();
  }

  private static StatusRuntimeException cut() {
    return Status.UNAVAILABLE.withDescription("no end was told").asRuntimeException();
  }

  private static ByteString bytesOf(Payload payload) {
    return switch (payload.getBodyCase()) {
      case TEXT -> payload.getTextBytes();
      case JSON -> payload.getJsonBytes();
      case DATA -> throw new RunDiverged("bytes are recorded where JSON is asked for");
      case BODY_NOT_SET -> ByteString.EMPTY;
    };
  }
}
