package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionKind;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class AdmitSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  @Test
  void admitted_submission_is_queued_with_the_defaults_and_has_a_receipt() {
    String session = fresh("session");
    String id = fresh("sub");
    AdmitSubmissionResponse response = calls.admit(session, id);
    Submission submission = response.getSubmission();
    assertTrue(response.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, submission.getStatus());
    assertEquals(SubmissionKind.SUBMISSION_KIND_DISPATCH, submission.getKind());
    assertEquals("default", submission.getQueue());
    assertEquals(session, submission.getSessionKey());
    assertEquals(1, submission.getSequence());
    assertEquals(10, submission.getMaxAttempts());
    assertEquals(seconds(3_600), submission.getTimeout());
    assertEquals(text("do it"), submission.getInput().getPayload());
    assertEquals(id, response.getReceipt().getSubmissionId());
    assertEquals(32, response.getReceipt().getAdmissionSha256().size());
    assertEquals(submission, calls.submission(id));
  }

  @Test
  void same_again_is_applied_false_and_admits_nothing() {
    String session = fresh("session");
    String id = fresh("sub");
    AdmitSubmissionResponse first = calls.admit(session, id);
    AdmitSubmissionResponse second = calls.admit(session, id);
    assertFalse(second.getApplied());
    assertEquals(first.getSubmission(), second.getSubmission());
    assertEquals(first.getReceipt(), second.getReceipt());
    assertEquals(1, queued(session).size());
  }

  @Test
  void other_session_kind_queue_input_or_limits_under_the_id_are_a_conflict_and_the_first_stays() {
    String session = fresh("session");
    String id = fresh("sub");
    calls.admit(session, id);
    AdmitSubmissionRequest first = admission(session, id).build();
    List<AdmitSubmissionRequest> others =
        List.of(
            first.toBuilder().setSessionKey(fresh("session")).build(),
            first.toBuilder().setKind(SubmissionKind.SUBMISSION_KIND_DIRECT).build(),
            first.toBuilder().setQueue("other").build(),
            first.toBuilder().setInput(text("something else")).build(),
            // The same bytes in another case are another payload.
            first.toBuilder()
                .setInput(Payload.newBuilder().setData(ByteString.copyFromUtf8("do it")))
                .build(),
            first.toBuilder().setMaxAttempts(3).build(),
            first.toBuilder().setTimeout(seconds(5)).build());
    for (AdmitSubmissionRequest other : others) {
      Refused.from(() -> calls.stub().admitSubmission(other))
          .mustBe(
              Status.Code.ALREADY_EXISTS,
              ErrorReason.ERROR_REASON_SUBMISSION_CONFLICT,
              "submission_id",
              id);
    }
    assertEquals(text("do it"), calls.submission(id).getInput().getPayload());
    assertEquals(0, queued(others.get(0).getSessionKey()).size());
    assertEquals(
        0,
        rows.count(
            "SELECT count(*) FROM sessions WHERE session_key = ?", others.get(0).getSessionKey()));
  }

  @Test
  void repeat_is_applied_false_also_when_only_the_receipt_is_left() {
    String session = fresh("session");
    String id = fresh("sub");
    calls.admit(session, id);
    // What a session's deletion leaves.
    rows.execute("DELETE FROM session_queue WHERE session_key = ?", session);
    rows.execute("DELETE FROM submissions WHERE submission_id = ?", id);
    rows.execute("DELETE FROM sessions WHERE session_key = ?", session);
    AdmitSubmissionResponse repeat = calls.admit(session, id);
    assertFalse(repeat.getApplied());
    assertFalse(repeat.hasSubmission());
    assertEquals(session, repeat.getReceipt().getSessionKey());
    assertEquals(0, rows.count("SELECT count(*) FROM sessions WHERE session_key = ?", session));
  }

  @Test
  void session_that_is_being_deleted_takes_no_submission() {
    String session = fresh("session");
    calls.admit(session, fresh("sub"));
    rows.execute("UPDATE sessions SET deleting_since = now() WHERE session_key = ?", session);
    String late = fresh("sub");
    Refused.from(() -> calls.admit(session, late))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SESSION_DELETING,
            "session_key",
            session);
    Refused.from(() -> calls.submission(late))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }

  @Test
  void large_input_is_left_out_of_the_answer_and_stored_whole() {
    String id = fresh("sub");
    byte[] input = new byte[(1 << 20) + 1];
    Submission submission =
        calls
            .stub()
            .admitSubmission(
                admission(fresh("session"), id)
                    .setInput(Payload.newBuilder().setData(ByteString.copyFrom(input)))
                    .build())
            .getSubmission();
    assertTrue(submission.getInput().getOmitted());
    assertEquals(input.length, submission.getInput().getSizeBytes());
    assertFalse(submission.getInput().hasPayload());
    assertEquals(
        input.length,
        rows.count("SELECT octet_length(input) FROM submissions WHERE submission_id = ?", id));
  }

  /** B058, B061: NUL is fine in payloads and refused in ids. */
  @Test
  void nul_is_kept_in_inputs_and_refused_in_ids() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setInput(text("a\0b")).build());
    assertEquals(text("a\0b"), calls.submission(id).getInput().getPayload());
    Refused.from(() -> calls.admit("session\0", fresh("sub")))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "session_key");
  }

  @Test
  void limits_out_of_range_are_refused_by_name() {
    AdmitSubmissionRequest good = admission(fresh("session"), fresh("sub")).build();
    refuse(good.toBuilder().setMaxAttempts(0).build(), "max_attempts");
    refuse(good.toBuilder().setMaxAttempts(1_001).build(), "max_attempts");
    refuse(good.toBuilder().setTimeout(seconds(0)).build(), "timeout");
    refuse(good.toBuilder().setTimeout(seconds(31 * 86_400L)).build(), "timeout");
    refuse(good.toBuilder().setDelay(seconds(-1)).build(), "delay");
    refuse(good.toBuilder().setSubmissionId("").build(), "submission_id");
    refuse(good.toBuilder().setQueue("q".repeat(513)).build(), "queue");
    refuse(good.toBuilder().setInput(Payload.newBuilder().setJson("{")).build(), "input");
  }

  private void refuse(AdmitSubmissionRequest request, String field) {
    Refused.from(() -> calls.stub().admitSubmission(request))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  @Test
  void traceparent_of_the_call_is_kept() {
    String traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), traceparent);
    String id = fresh("sub");
    SubmissionServiceGrpc.newBlockingStub(JOURNAL.channel())
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .admitSubmission(admission(fresh("session"), id).build());
    assertEquals(traceparent, calls.submission(id).getTraceparent());
  }

  @Test
  void namespaces_do_not_see_each_other() {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER), "tenant-2");
    String session = fresh("session");
    String id = fresh("sub");
    calls.admit(session, id);
    SubmissionCaller others =
        new SubmissionCaller(
            SubmissionServiceGrpc.newBlockingStub(JOURNAL.channel())
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers)));
    Refused.from(() -> others.submission(id))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
    assertTrue(others.admit(session, id).getApplied());
  }

  /** B092, and the order of the session is the order in which admissions are committed. */
  @Test
  void hundred_clients_at_once_get_places_without_holes_and_later_ones_come_later()
      throws Exception {
    String session = fresh("session");
    ExecutorService clients = Executors.newFixedThreadPool(100);
    try {
      List<Callable<Long>> admissions = new ArrayList<>();
      for (int client = 0; client < 100; client++) {
        admissions.add(
            () -> {
              long first = calls.admit(session, fresh("sub")).getSubmission().getSequence();
              long second = calls.admit(session, fresh("sub")).getSubmission().getSequence();
              assertTrue(second > first, "admitted later, so it comes later");
              return second;
            });
      }
      for (Future<Long> admission : clients.invokeAll(admissions)) {
        admission.get();
      }
    } finally {
      clients.shutdownNow();
    }
    List<String> sequences = queued(session);
    assertEquals(200, sequences.size());
    assertEquals("1", sequences.get(0));
    assertEquals("200", sequences.get(199));
    assertEquals(
        1,
        rows.count(
            "SELECT count(*) FROM submissions WHERE session_key = ? AND runnable_at IS NOT NULL",
            session),
        "only the head may run");
  }

  @Test
  void twenty_at_once_under_one_id_admit_it_once() throws Exception {
    String session = fresh("session");
    String id = fresh("sub");
    ExecutorService clients = Executors.newFixedThreadPool(20);
    try {
      List<Callable<Boolean>> admissions = new ArrayList<>();
      for (int client = 0; client < 20; client++) {
        admissions.add(() -> calls.admit(session, id).getApplied());
      }
      int applied = 0;
      for (Future<Boolean> admission : clients.invokeAll(admissions)) {
        applied += admission.get() ? 1 : 0;
      }
      assertEquals(1, applied);
    } finally {
      clients.shutdownNow();
    }
    assertEquals(List.of("1"), queued(session));
  }

  private List<String> queued(String session) {
    String list =
        rows.value(
            """
            SELECT COALESCE(string_agg(sequence::text, ',' ORDER BY sequence), '')
              FROM session_queue
             WHERE session_key = ?
            """,
            session);
    return list.isEmpty() ? List.of() : List.of(list.split(","));
  }
}
