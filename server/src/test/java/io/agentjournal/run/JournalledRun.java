package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Duration;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.ClaimRunRequest;
import io.agentjournal.v1.ClaimRunResponse;
import io.agentjournal.v1.CloseRunRequest;
import io.agentjournal.v1.CloseRunResponse;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetRunRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.OpenRunRequest;
import io.agentjournal.v1.OpenRunResponse;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** A run of one test, under an id of its own, and the calls that most tests make. */
final class JournalledRun {
  private static final Metadata.Key<String> NAMESPACE =
      Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER);

  final String id = "run-" + UUID.randomUUID();
  final RunJournalServiceBlockingStub journal;

  JournalledRun(JournalExtension server) {
    this(RunJournalServiceGrpc.newBlockingStub(server.channel()));
  }

  JournalledRun(RunJournalServiceBlockingStub journal) {
    this.journal = journal;
  }

  /** Calls in a namespace that nobody else uses. */
  static RunJournalServiceBlockingStub inNamespaceOfItsOwn(JournalExtension server) {
    Metadata headers = new Metadata();
    headers.put(NAMESPACE, "namespace-" + UUID.randomUUID());
    return RunJournalServiceGrpc.newBlockingStub(server.channel())
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** As if the lease had run out. */
  void expireLease(JournalExtension server) {
    try (Connection connection = TestPostgres.connect(server.database());
        PreparedStatement statement =
            connection.prepareStatement(
                "UPDATE runs SET lease_expires_at = now() - interval '1 s' WHERE run_id = ?")) {
      statement.setString(1, id);
      assertEquals(1, statement.executeUpdate());
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  OpenRunResponse open() {
    return journal.openRun(OpenRunRequest.newBuilder().setRunId(id).build());
  }

  OpenRunResponse openClaimed(String claimId, String owner) {
    return journal.openRun(
        OpenRunRequest.newBuilder()
            .setRunId(id)
            .setClaimId(claimId)
            .setLease(LeaseRequest.newBuilder().setOwner(owner))
            .build());
  }

  CloseRunResponse close(String outcome) {
    return close(outcome, "");
  }

  CloseRunResponse close(String outcome, String claimId) {
    return journal.closeRun(
        CloseRunRequest.newBuilder().setRunId(id).setOutcome(outcome).setClaimId(claimId).build());
  }

  Run get() {
    return journal.getRun(GetRunRequest.newBuilder().setRunId(id).build()).getRun();
  }

  ClaimRunResponse claim(String claimId, String owner) {
    return claim(claimId, owner, 30);
  }

  ClaimRunResponse claim(String claimId, String owner, int seconds) {
    return journal.claimRun(
        ClaimRunRequest.newBuilder()
            .setRunId(id)
            .setClaimId(claimId)
            .setLease(lease(owner, seconds))
            .build());
  }

  static LeaseRequest lease(String owner, int seconds) {
    return LeaseRequest.newBuilder()
        .setOwner(owner)
        .setDuration(Duration.newBuilder().setSeconds(seconds))
        .build();
  }

  AppendEventsResponse append(Event... events) {
    return append(AppendMode.APPEND_MODE_UNSPECIFIED, "", events);
  }

  AppendEventsResponse append(AppendMode mode, Event... events) {
    return append(mode, "", events);
  }

  AppendEventsResponse appendAs(String claimId, Event... events) {
    return append(AppendMode.APPEND_MODE_UNSPECIFIED, claimId, events);
  }

  private AppendEventsResponse append(AppendMode mode, String claimId, Event... events) {
    return journal.appendEvents(
        AppendEventsRequest.newBuilder()
            .setRunId(id)
            .setMode(mode)
            .setClaimId(claimId)
            .addAllEvents(List.of(events))
            .build());
  }

  /** All events, parts as they came. */
  List<Event> events() {
    return events(ListEventsRequest.newBuilder().setRunId(id).build());
  }

  List<Event> events(ListEventsRequest request) {
    List<Event> events = new ArrayList<>();
    Iterator<ListEventsResponse> messages = journal.listEvents(request);
    messages.forEachRemaining(message -> events.addAll(message.getEventsList()));
    return events;
  }

  /** As {@code 0:tool_call}. */
  List<String> order() {
    return events().stream().map(JournalledRun::text).toList();
  }

  List<String> payloads() {
    return events().stream().map(event -> event.getPayload().getJson()).toList();
  }

  static String text(Event event) {
    String kind = event.getKind().name().substring("EVENT_KIND_".length());
    return event.getSeq() + ":" + kind.toLowerCase(Locale.ROOT);
  }

  static Event event(long seq, EventKind kind, String json) {
    return Event.newBuilder()
        .setSeq(seq)
        .setKind(kind)
        .setPayload(Payload.newBuilder().setJson(json))
        .build();
  }

  static Event decision(long seq, String json) {
    return event(seq, EventKind.EVENT_KIND_MODEL_DECISION, json);
  }

  static Event call(long seq, String json) {
    return event(seq, EventKind.EVENT_KIND_TOOL_CALL, json);
  }

  static Event result(long seq, String json) {
    return event(seq, EventKind.EVENT_KIND_TOOL_RESULT, json);
  }
}
