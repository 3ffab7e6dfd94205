package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.agentjournal.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class JournalExceptionTest {

  private static StatusRuntimeException refusal(
      Status.Code code, String domain, String reason, Map<String, String> facts) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(reason + " and why")
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain(domain)
                        .setReason(reason)
                        .putAllMetadata(facts)
                        .build()))
            .build());
  }

  @Test
  void a_refusal_carries_reason_facts_and_next_index() {
    JournalException refused =
        JournalException.of(
            refusal(
                Status.Code.FAILED_PRECONDITION,
                "agentjournal",
                "STALE_ATTEMPT",
                Map.of("current_owner", "worker-2", "next_index", "17")));

    assertInstanceOf(JournalException.Refused.class, refused);
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused.reason());
    assertEquals("worker-2", refused.fact("current_owner"));
    assertEquals(OptionalLong.of(17), refused.nextIndex());
    assertEquals(Status.Code.FAILED_PRECONDITION, refused.code());
    assertTrue(refused.isFenced());
  }

  @Test
  void a_conflict_is_refused_and_does_not_fence() {
    JournalException refused =
        JournalException.of(
            refusal(Status.Code.ALREADY_EXISTS, "agentjournal", "SEGMENT_CONFLICT", Map.of()));

    assertInstanceOf(JournalException.Refused.class, refused);
    assertFalse(refused.isFenced());
    assertEquals(OptionalLong.empty(), refused.nextIndex());
  }

  @Test
  void a_journal_that_says_not_now_is_unavailable() {
    assertInstanceOf(
        JournalException.Unavailable.class,
        JournalException.of(
            refusal(Status.Code.UNAVAILABLE, "agentjournal", "SERVER_DRAINING", Map.of())));
    assertInstanceOf(
        JournalException.Unavailable.class,
        JournalException.of(
            refusal(Status.Code.RESOURCE_EXHAUSTED, "agentjournal", "OVERLOADED", Map.of())));
  }

  @Test
  void a_bug_of_the_server_is_not_repeated() {
    assertInstanceOf(
        JournalException.Failed.class,
        JournalException.of(
            refusal(Status.Code.INTERNAL, "agentjournal", "INTERNAL", Map.of("reference", "r"))));
  }

  @Test
  void a_reason_of_a_newer_server_is_refused_without_a_name() {
    JournalException refused =
        JournalException.of(
            refusal(Status.Code.FAILED_PRECONDITION, "agentjournal", "NOT_BEFORE_TEA", Map.of()));

    assertInstanceOf(JournalException.Refused.class, refused);
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, refused.reason());
  }

  @Test
  void the_trailer_serves_where_the_details_were_stripped() {
    Metadata trailers = new Metadata();
    trailers.put(
        Metadata.Key.of("agentjournal-reason", Metadata.ASCII_STRING_MARSHALLER), "STALE_EPOCH");

    JournalException refused =
        JournalException.of(new StatusRuntimeException(Status.FAILED_PRECONDITION, trailers));

    assertEquals(ErrorReason.ERROR_REASON_STALE_EPOCH, refused.reason());
    assertTrue(refused.isFenced());
  }

  @Test
  void details_of_another_domain_say_nothing() {
    JournalException cut =
        JournalException.of(
            refusal(Status.Code.UNAVAILABLE, "proxy.example", "STALE_ATTEMPT", Map.of()));

    assertInstanceOf(JournalException.Unavailable.class, cut);
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, cut.reason());
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"UNAVAILABLE", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "CANCELLED"})
  void a_cut_is_unavailable_whatever_code_it_takes(Status.Code code) {
    assertInstanceOf(
        JournalException.Unavailable.class,
        JournalException.of(code.toStatus().asRuntimeException()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED", "INVALID_ARGUMENT"})
  void what_somebody_else_refused_has_failed(Status.Code code) {
    assertInstanceOf(
        JournalException.Failed.class, JournalException.of(code.toStatus().asRuntimeException()));
  }
}
