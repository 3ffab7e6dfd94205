package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.payload.JsonText;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.AssertReplayOrderRequest;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.GetEventResponse;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ReplayStep;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Events to and from messages. */
final class EventMessages {
  private static final int MAX_REQUEST_BYTES = 20 << 20;
  private static final Payload NO_PAYLOAD =
      new Payload(PayloadCase.JSON, ByteString.copyFromUtf8("{}"));
  private static final String KIND_PREFIX = "EVENT_KIND_";

  private EventMessages() {}

  /** Takes as long as the JSON in it: see {@link JsonText#check}. */
  static RunAppend append(Namespace namespace, AppendEventsRequest request) {
    return new RunAppend(
        new RunId(namespace, request.getRunId()),
        newEvents(request.getSerializedSize(), request.getEventsList()),
        mode(request.getMode()),
        RunMessages.claimId(request.getClaimId()));
  }

  static EventWriter writer(Namespace namespace, EventsOpen open) {
    return new EventWriter(
        new RunId(namespace, open.getRunId()),
        mode(open.getMode()),
        RunMessages.claimId(open.getClaimId()));
  }

  /** Takes as long as the JSON in them: see {@link JsonText#check}. */
  static List<NewEvent> newEvents(int requestBytes, List<Event> messages) {
    if (requestBytes > MAX_REQUEST_BYTES) {
      throw new TooLarge("request", requestBytes, MAX_REQUEST_BYTES);
    }
    List<NewEvent> events = new ArrayList<>(messages.size());
    for (Event event : messages) {
      events.add(newEvent("events[" + events.size() + "]", event));
    }
    return events;
  }

  private static NewEvent newEvent(String field, Event event) {
    EventKey key = new EventKey(event.getSeq(), kind(field + ".kind", event.getKind()));
    Payload payload = NO_PAYLOAD;
    if (event.getPayload().getBodyCase() != io.agentjournal.v1.Payload.BodyCase.BODY_NOT_SET) {
      payload = PayloadMessages.from(field + ".payload", event.getPayload(), Payload.MAX_BYTES);
    }
    boolean tellsIteration =
        key.kind() == EventKind.ITERATION && payload.kind() == PayloadCase.JSON;
    return new NewEvent(
        key,
        payload,
        tellsIteration ? JsonText.longMember(payload.bytes(), "index") : null,
        event.hasCreatedAt() ? Times.instant(field + ".created_at", event.getCreatedAt()) : null);
  }

  private static AppendMode mode(io.agentjournal.v1.AppendMode mode) {
    return switch (mode) {
      case APPEND_MODE_UNSPECIFIED, APPEND_MODE_REPLACE -> AppendMode.REPLACE;
      case APPEND_MODE_KEEP_FIRST -> AppendMode.KEEP_FIRST;
      case APPEND_MODE_REFUSE_OTHER -> AppendMode.REFUSE_OTHER;
      case UNRECOGNIZED -> throw InvalidField.ofValue("mode", mode.name(), "unknown");
    };
  }

  static EventKind kind(String field, io.agentjournal.v1.EventKind kind) {
    return switch (kind) {
      case EVENT_KIND_MODEL_DECISION -> EventKind.MODEL_DECISION;
      case EVENT_KIND_TOOL_CALL -> EventKind.TOOL_CALL;
      case EVENT_KIND_TOOL_RESULT -> EventKind.TOOL_RESULT;
      case EVENT_KIND_APPROVAL -> EventKind.APPROVAL;
      case EVENT_KIND_ITERATION -> EventKind.ITERATION;
      case EVENT_KIND_VERIFICATION -> EventKind.VERIFICATION;
      case EVENT_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw InvalidField.ofValue(field, kind.name(), "unknown");
    };
  }

  static AppendEventsResponse from(Appended appended) {
    return AppendEventsResponse.newBuilder()
        .setInserted(appended.inserted())
        .setReplaced(appended.replaced())
        .setUnchanged(appended.unchanged().size())
        .build();
  }

  static AppendEventsSessionResponse from(SessionProgress progress) {
    return AppendEventsSessionResponse.newBuilder()
        .setDurableEvents(progress.durableEvents())
        .setInserted(progress.inserted())
        .setReplaced(progress.replaced())
        .addAllUnchangedEvents(progress.untoldUnchanged())
        .build();
  }

  static EventFilter filter(ListEventsRequest request) {
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    for (io.agentjournal.v1.EventKind kind : request.getKindsList()) {
      kinds.add(kind("kinds", kind));
    }
    return new EventFilter(
        request.getStartSeq(),
        request.hasEndSeq() ? lastBefore(request.getEndSeq()) : Long.MAX_VALUE,
        kinds.isEmpty() ? EventFilter.ALL.kinds() : kinds);
  }

  private static long lastBefore(long endSeq) {
    if (endSeq < 0) {
      throw InvalidField.ofValue("end_seq", Long.toString(endSeq), "0 or more is possible");
    }
    return endSeq - 1;
  }

  static Event from(EventPart part) {
    return Event.newBuilder()
        .setSeq(part.key().seq())
        .setKind(io.agentjournal.v1.EventKind.valueOf(KIND_PREFIX + part.key().kind()))
        .setPayload(PayloadMessages.from(new Payload(part.payloadCase(), part.bytes())))
        .setCreatedAt(Times.message(part.createdAt()))
        .setPayloadSizeBytes(part.sizeBytes())
        .setPayloadOffset(part.offset())
        .build();
  }

  /** Of a large payload only the size. */
  static GetEventResponse found(EventPart part) {
    Event event = from(part);
    return part.isLast()
        ? GetEventResponse.newBuilder().setEvent(event).build()
        : GetEventResponse.newBuilder()
            .setEvent(event.toBuilder().clearPayload())
            .setPayloadOmitted(true)
            .build();
  }

  static ExpectedOrder order(AssertReplayOrderRequest request) {
    List<ExpectedOrder.Step> steps = new ArrayList<>();
    for (ReplayStep step : request.getExpectedList()) {
      EventKind kind = kind("expected[" + steps.size() + "].kind", step.getKind());
      steps.add(new ExpectedOrder.Step(step.hasSeq() ? step.getSeq() : null, kind));
    }
    return new ExpectedOrder(steps);
  }
}
