package io.agentjournal.event;

import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static io.agentjournal.testing.Trial.completed;
import static io.agentjournal.testing.Trial.failed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.server.JournalServer;
import io.agentjournal.submission.Rows;
import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.agentjournal.v1.WatchSubmissionResponse.EventCase;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class WatchSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @SuppressWarnings("NullAway.Init")
  private static JournalServer otherServer;

  @SuppressWarnings("NullAway.Init")
  private static ManagedChannel other;

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());

  @BeforeAll
  static void start() {
    otherServer = JOURNAL.anotherServer();
    other = JournalExtension.channelTo(otherServer);
  }

  @AfterAll
  static void stop() {
    other.shutdownNow();
    otherServer.close();
  }

  private static Watching watch(WatchSubmissionRequest.Builder request) {
    return Watching.of(JOURNAL.channel(), request.build());
  }

  private static Watching watch(Trial trial) {
    return watch(Watching.request(trial.id));
  }

  private static void deleteSession(String session) {
    SessionServiceGrpc.newBlockingStub(JOURNAL.channel())
        .deleteSession(DeleteSessionRequest.newBuilder().setSessionKey(session).build());
  }

  @Test
  void events_of_a_submission_come_with_the_segments_of_its_streams_between_them() {
    assertEquals(Story.TOLD, watch(Story.told(JOURNAL)).awaitEnd().texts());
  }

  @Test
  void live_on_any_server_the_same_is_told_in_the_same_order() {
    Trial trial = Trial.queued(JOURNAL);
    Watching here = watch(trial).awaitCaughtUp();
    Watching there = Watching.of(other, trial.id).awaitCaughtUp();
    Story.tell(trial);
    assertEquals(Story.TOLD, here.awaitEnd().texts());
    assertEquals(Story.TOLD, there.awaitEnd().texts());
  }

  @Test
  void from_the_cursor_of_every_message_exactly_the_rest_is_told_by_every_server() {
    Trial trial = Trial.queued(JOURNAL);
    Watching recorded = watch(trial);
    Story.tell(trial);
    recorded.awaitEnd();
    List<WatchSubmissionResponse> messages = recorded.messages();
    for (int i = 0; i < messages.size(); i++) {
      String cursor = messages.get(i).getCursor();
      List<String> rest =
          Watching.texts(
              messages.subList(i + 1, messages.size()).stream()
                  .filter(message -> !message.hasCaughtUp())
                  .toList());
      if (rest.isEmpty()) {
        rest = List.of("end SETTLED");
      }
      WatchSubmissionRequest request = Watching.request(trial.id).setCursor(cursor).build();
      var server = i % 2 == 0 ? other : JOURNAL.channel();
      assertEquals(
          rest, Watching.of(server, request).awaitEnd().texts(), "after " + messages.get(i));
    }
  }

  @Test
  void cursor_is_valid_after_a_restart() {
    Trial trial = Trial.started(JOURNAL);
    JournalServer leaving = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(leaving);
    trial.put("a", trial.streamKey("t1", "a"), 0, "ab");
    Watching before = Watching.of(channel, trial.id).awaitCaughtUp();
    leaving.close();
    before.awaitRefusal().mustBe(Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SERVER_DRAINING);
    channel.shutdownNow();
    trial.put("a", trial.streamKey("t1", "a"), 2, "c");
    JournalServer restarted = JOURNAL.anotherServer();
    channel = JournalExtension.channelTo(restarted);
    Watching after =
        Watching.of(channel, Watching.request(trial.id).setCursor(before.lastCursor()).build());
    trial.settle("a", failed());
    assertEquals(
        List.of("2'c", "ended t1 FAILED settled", "SETTLED FAILED", "end SETTLED"),
        after.awaitEnd().texts());
    channel.shutdownNow();
    restarted.close();
  }

  @Test
  void each_message_tells_its_submission_and_each_event_when_it_happened() {
    Trial trial = Story.told(JOURNAL);
    for (WatchSubmissionResponse message : watch(trial).awaitEnd().messages()) {
      assertEquals(trial.id, message.getSubmissionId());
      boolean hasTime =
          message.getEventCase() != EventCase.SEGMENTS && message.getEventCase() != EventCase.END;
      assertEquals(hasTime, message.hasAt(), message.toString());
    }
  }

  @Test
  void segments_are_left_out_if_asked() {
    List<String> without =
        Story.TOLD.stream().filter(text -> !text.matches("(?s)\\d+'.*")).toList();
    Trial trial = Trial.queued(JOURNAL);
    Watching live = watch(Watching.request(trial.id).setWithoutSegments(true)).awaitCaughtUp();
    Story.tell(trial);
    assertEquals(without, live.awaitEnd().texts());
    assertEquals(
        without, watch(Watching.request(trial.id).setWithoutSegments(true)).awaitEnd().texts());
  }

  @Test
  void ends_that_writers_and_operators_give_a_stream_are_told() {
    Trial trial = Trial.started(JOURNAL);
    Watching live = watch(trial).awaitCaughtUp();
    String first = trial.streamKey("t1", "a");
    trial.segments.putSegments(
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(first).setAttempt(trial.ref("a")))
            .setFirstIndex(0)
            .addSegments(Segment.newBuilder().setText("a"))
            .setEnd(StreamEnd.newBuilder().setFinishReason("length"))
            .build());
    live.await("ended t1 COMPLETE length");
    trial.replace("a", "b");
    trial.turns.beginTurnJournal(
        trial.begin("b", "t2").setStart(ProviderStart.newBuilder()).build());
    String second = trial.streamKey("t2", "b");
    trial.put("b", second, 0, "b");
    trial.segments.sealStream(
        SealStreamRequest.newBuilder().setStreamKey(second).setForce(true).build());
    live.await("ended t2 FAILED sealed");
    trial.turns.beginTurnJournal(
        trial.begin("b", "t3").setStart(ProviderStart.newBuilder()).build());
    String third = trial.streamKey("t3", "b");
    trial.segments.putSegments(
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(third).setAttempt(trial.ref("b")))
            .setEnd(StreamEnd.newBuilder().setFailure(Failure.newBuilder().setCode("cut")))
            .build());
    live.await("ended t3 FAILED");
    trial.settle("b", failed());
    List<String> told =
        List.of(
            "QUEUED",
            "RUNNING",
            "turn t1 1",
            "opened t1",
            "0'a",
            "ended t1 COMPLETE length",
            "taken over by b of owner-a",
            "turn t2 2",
            "opened t2",
            "0'b",
            "ended t2 FAILED sealed",
            "turn t3 3",
            "opened t3",
            "ended t3 FAILED",
            "SETTLED FAILED",
            "end SETTLED");
    assertEquals(told, live.awaitEnd().texts());
    assertEquals(told, watch(trial).awaitEnd().texts());
  }

  @Test
  void deleted_stream_of_an_earlier_turn_is_told_as_deleted_and_its_text_is_not() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    trial.replace("a", "b");
    trial.begun("b", "t2");
    trial.segments.deleteStream(
        DeleteStreamRequest.newBuilder().setStreamKey(trial.streamKey("t1", "a")).build());
    assertEquals(
        List.of("opened t1", "taken over by b of owner-a", "ended t1 DELETED", "turn t2 2"),
        watch(trial).awaitCaughtUp().texts().subList(3, 7));
  }

  @Test
  void session_is_watched_from_its_submission_that_is_not_settled_and_on_to_the_next_ones() {
    String session = fresh("session");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(fresh("sub"));
      calls.admit(session, ids.get(i));
    }
    calls.claim(attempt(ids.get(0), "a"));
    calls.settle(attempt(ids.get(0), "a"), Outcome.OUTCOME_COMPLETED);
    calls.claim(attempt(ids.get(1), "b"));
    Watching live = watch(Watching.ofSession(session)).awaitCaughtUp();
    assertEquals(List.of("QUEUED", "RUNNING"), live.texts());
    calls.settle(attempt(ids.get(1), "b"), Outcome.OUTCOME_FAILED);
    calls.claim(attempt(ids.get(2), "c"));
    calls.settle(attempt(ids.get(2), "c"), Outcome.OUTCOME_COMPLETED);
    live.await("SETTLED COMPLETED");
    String later = fresh("sub");
    calls.admit(session, later);
    List<String> told =
        List.of(
            "QUEUED",
            "RUNNING",
            "SETTLED FAILED",
            "QUEUED",
            "RUNNING",
            "SETTLED COMPLETED",
            "QUEUED");
    live.await("the last one", texts -> texts.size() >= told.size());
    assertEquals(told, live.texts());
    assertEquals(
        List.of(ids.get(1), ids.get(1), ids.get(1), ids.get(2), ids.get(2), ids.get(2), later),
        live.told().stream().map(WatchSubmissionResponse::getSubmissionId).toList());
    assertFalse(live.hasEnded());
    live.cancel();
    fromEveryCursor(session, live.told(), told);
  }

  private static void fromEveryCursor(
      String session, List<WatchSubmissionResponse> messages, List<String> told) {
    for (int i = 0; i < messages.size(); i++) {
      Watching again =
          Watching.of(
              other, Watching.ofSession(session).setCursor(messages.get(i).getCursor()).build());
      List<String> rest = told.subList(i + 1, told.size());
      again.awaitCaughtUp();
      assertEquals(rest, again.texts());
      again.cancel();
    }
  }

  @Test
  void session_without_an_unsettled_submission_is_watched_from_now() {
    String session = fresh("session");
    String first = fresh("sub");
    calls.admit(session, first);
    calls.claim(attempt(first, "a"));
    calls.settle(attempt(first, "a"), Outcome.OUTCOME_COMPLETED);
    Watching live = watch(Watching.ofSession(session)).awaitCaughtUp();
    assertEquals(List.of(), live.texts());
    String cursor = live.lastCursor();
    String second = fresh("sub");
    calls.admit(session, second);
    live.await("QUEUED");
    assertEquals(second, live.told().get(0).getSubmissionId());
    live.cancel();
    Watching again =
        Watching.of(other, Watching.ofSession(session).setCursor(cursor).build()).awaitCaughtUp();
    assertEquals(List.of("QUEUED"), again.texts());
    again.cancel();
  }

  @Test
  void deleting_the_session_ends_its_watch_and_what_a_cursor_was_of_is_deleted() {
    Trial trial = Trial.running(JOURNAL);
    Watching ofSubmission = watch(trial).awaitCaughtUp();
    Watching ofSession = watch(Watching.ofSession(trial.session)).awaitCaughtUp();
    String cursor = ofSubmission.lastCursor();
    trial.settle("a", failed());
    ofSubmission.awaitEnd();
    ofSession.await("SETTLED FAILED");
    deleteSession(trial.session);
    assertEquals(
        List.of("QUEUED", "RUNNING", "SETTLED FAILED", "end DELETED"),
        ofSession.awaitEnd().texts());
    assertEquals(
        List.of("end DELETED"),
        watch(Watching.request(trial.id).setCursor(cursor)).awaitEnd().texts());
    assertEquals(
        List.of("end DELETED"),
        watch(Watching.ofSession(trial.session).setCursor(ofSession.lastCursor()))
            .awaitEnd()
            .texts());
  }

  @Test
  void cursor_of_what_was_deleted_and_made_anew_is_not_taken_for_the_new_one() {
    String session = fresh("session");
    String id = fresh("sub");
    var admission =
        SubmissionCaller.admission(session, id)
            .setKind(io.agentjournal.v1.SubmissionKind.SUBMISSION_KIND_DIRECT)
            .build();
    List<String> cursors = new ArrayList<>();
    for (WatchSubmissionRequest.Builder request :
        List.of(Watching.request(id), Watching.ofSession(session))) {
      calls.stub().admitSubmission(admission);
      Watching first = watch(request).awaitCaughtUp();
      cursors.add(first.lastCursor());
      first.cancel();
      calls.claim(attempt(id, "a"));
      calls.settle(attempt(id, "a"), Outcome.OUTCOME_COMPLETED);
      deleteSession(session);
      calls.stub().admitSubmission(admission);
      assertEquals(
          List.of("end DELETED"),
          watch(request.setCursor(cursors.get(cursors.size() - 1))).awaitEnd().texts());
    }
  }

  @Test
  void unknown_ones_are_refused() {
    watch(Watching.request(fresh("sub")))
        .awaitRefusal()
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
    watch(Watching.ofSession(fresh("session")))
        .awaitRefusal()
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    watch(WatchSubmissionRequest.newBuilder())
        .awaitRefusal()
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "which");
  }

  @Test
  void cursors_of_others_and_garbage_are_refused() {
    Trial trial = Trial.running(JOURNAL);
    Trial another = Trial.running(JOURNAL);
    Watching watching = watch(trial).awaitCaughtUp();
    String cursor = watching.lastCursor();
    watching.cancel();
    char changed = cursor.charAt(20) == 'A' ? 'B' : 'A';
    for (WatchSubmissionRequest.Builder request :
        List.of(
            Watching.request(another.id).setCursor(cursor),
            Watching.ofSession(trial.session).setCursor(cursor),
            Watching.request(trial.id).setCursor("not a cursor"),
            Watching.request(trial.id).setCursor("AAAA"),
            Watching.request(trial.id).setCursor("x".repeat(10_000)),
            Watching.request(trial.id).setCursor(cursor + "A"),
            Watching.request(trial.id)
                .setCursor(cursor.substring(0, 20) + changed + cursor.substring(21)))) {
      watch(request)
          .awaitRefusal()
          .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "cursor");
    }
  }

  @Test
  void cursor_beyond_the_list_is_refused() {
    Trial trial = Trial.running(JOURNAL);
    Watching watching = watch(trial).awaitCaughtUp();
    watching.cancel();
    new Rows(JOURNAL)
        .execute(
            "DELETE FROM submission_events WHERE submission_id = ? AND event_number = 2", trial.id);
    watch(Watching.request(trial.id).setCursor(watching.lastCursor()))
        .awaitRefusal()
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "cursor");
  }

  @Test
  void heartbeats_come_when_nothing_else_does_and_are_at_least_a_second_apart() {
    Trial trial = Trial.running(JOURNAL);
    Watching without = watch(trial).awaitCaughtUp();
    Watching with = watch(Watching.request(trial.id).setHeartbeat(seconds(1)));
    Wait.until(
        "a heartbeat came",
        () -> with.messages().stream().anyMatch(WatchSubmissionResponse::hasHeartbeat));
    assertTrue(without.messages().stream().noneMatch(WatchSubmissionResponse::hasHeartbeat));
    trial.settle("a", failed());
    assertEquals(
        List.of("QUEUED", "RUNNING", "SETTLED FAILED", "end SETTLED"), with.awaitEnd().texts());
    without.awaitEnd();
    watch(Watching.request(trial.id).setHeartbeat(SubmissionCaller.millis(999)))
        .awaitRefusal()
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "heartbeat");
  }

  @Test
  void caught_up_is_told_once() {
    Trial trial = Trial.running(JOURNAL);
    Watching watching = watch(trial).awaitCaughtUp();
    trial.begun("a", "t1");
    watching.await("turn t1 1");
    trial.settle("a", failed());
    assertEquals(
        List.of("QUEUED", "RUNNING", "caught up", "turn t1 1", "SETTLED FAILED", "end SETTLED"),
        Watching.texts(watching.awaitEnd().messages()));
  }

  @Test
  void slow_client_gets_everything_in_messages_below_4_mib() {
    Trial trial = Trial.started(JOURNAL);
    Watching slow = Watching.slowly(JOURNAL.channel(), Watching.request(trial.id).build());
    Watching live = watch(trial);
    String text = "x".repeat(100_000);
    List<String> segments = new ArrayList<>();
    for (int from = 0; from < 120; from += 30) {
      PutSegmentsRequest.Builder request =
          PutSegmentsRequest.newBuilder()
              .setOpen(
                  StreamOpen.newBuilder()
                      .setStreamKey(trial.streamKey("t1", "a"))
                      .setAttempt(trial.ref("a")))
              .setFirstIndex(from);
      for (int i = from; i < from + 30; i++) {
        request.addSegments(Segment.newBuilder().setText(i + text));
        segments.add(i + "'" + i + text);
      }
      trial.segments.putSegments(request.build());
    }
    trial.turns.commitTurnJournal(trial.committing("a", "t1").setSettle(completed("done")).build());
    assertEquals(segments, live.awaitEnd().texts().subList(4, 124));
    for (int taken = 1; !slow.hasEnded(); taken++) {
      int most = taken;
      Wait.until("the next message comes", () -> slow.hasEnded() || slow.messages().size() >= most);
      slow.take(1);
    }
    assertEquals(live.texts(), slow.awaitEnd().texts());
  }

  @Test
  void watches_that_wait_hold_neither_thread_nor_connection() {
    Trial trial = Trial.running(JOURNAL);
    List<Watching> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(watch(trial));
    }
    waiting.forEach(Watching::awaitCaughtUp);
    assertEquals("a", trial.submission().getAttemptId());
    trial.settle("a", failed());
    for (Watching watching : waiting) {
      assertEquals(
          List.of("QUEUED", "RUNNING", "SETTLED FAILED", "end SETTLED"),
          watching.awaitEnd().texts());
    }
  }

  @Test
  void long_list_of_events_is_told_whole() {
    Trial trial = Trial.running(JOURNAL);
    List<String> told = new ArrayList<>(List.of("QUEUED", "RUNNING"));
    for (int i = 1; i <= 220; i++) {
      trial.begun("a", "t" + i);
      told.add("turn t" + i + " " + i);
    }
    trial.settle("a", failed());
    told.addAll(List.of("SETTLED FAILED", "end SETTLED"));
    assertEquals(told, watch(trial).awaitEnd().texts());
  }

  @Test
  void damaged_extent_is_told_after_all_that_comes_before_it() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "ab");
    trial.put("a", key, 2, "cd");
    new Rows(JOURNAL)
        .execute(
            """
            UPDATE extents SET checksum = checksum + 1
             WHERE first_index = 2
               AND stream_id = (SELECT stream_id FROM streams WHERE stream_key = ?)
            """,
            key);
    Watching watching = watch(trial);
    watching
        .awaitRefusal()
        .mustBe(Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT_EXTENT, "stream_key", key);
    assertEquals(List.of("opened t1", "0'a", "1'b"), watching.texts().subList(3, 6));
  }

  @Test
  void missing_extent_is_told_and_not_passed_over() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "ab");
    trial.put("a", key, 2, "cd");
    new Rows(JOURNAL)
        .execute(
            """
            DELETE FROM extents
             WHERE first_index = 0
               AND stream_id = (SELECT stream_id FROM streams WHERE stream_key = ?)
            """,
            key);
    watch(trial)
        .awaitRefusal()
        .mustBe(Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT_EXTENT, "stream_key", key);
  }

  @Test
  void submission_of_another_namespace_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    io.grpc.Metadata namespace = new io.grpc.Metadata();
    namespace.put(
        io.grpc.Metadata.Key.of("agentjournal-namespace", io.grpc.Metadata.ASCII_STRING_MARSHALLER),
        "tenant-" + UUID.randomUUID());
    var tenant =
        io.grpc.ClientInterceptors.intercept(
            JOURNAL.channel(), io.grpc.stub.MetadataUtils.newAttachHeadersInterceptor(namespace));
    Watching.of(tenant, trial.id)
        .awaitRefusal()
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}
