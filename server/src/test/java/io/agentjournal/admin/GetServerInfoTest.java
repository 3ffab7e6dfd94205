package io.agentjournal.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import com.google.rpc.ErrorInfo;
import io.agentjournal.refusal.Reason;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.GetServerInfoRequest;
import io.agentjournal.v1.GetServerInfoResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetServerInfoTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final Path MIGRATIONS = Path.of("src/main/resources/db/migration");
  private static final Pattern MIGRATION = Pattern.compile("V(\\d+)__.*\\.sql");

  private static GetServerInfoResponse info() {
    return AdminServiceGrpc.newBlockingStub(JOURNAL.channel())
        .getServerInfo(GetServerInfoRequest.getDefaultInstance());
  }

  private static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  @Test
  void tells_the_version_of_program_and_schema() throws IOException {
    GetServerInfoResponse info = info();
    assertFalse(info.getVersion().isEmpty());
    try (Stream<Path> migrations = Files.list(MIGRATIONS)) {
      int last =
          migrations
              .map(file -> MIGRATION.matcher(file.getFileName().toString()))
              .filter(Matcher::matches)
              .mapToInt(name -> Integer.parseInt(name.group(1)))
              .max()
              .orElseThrow();
      assertEquals(last, info.getSchemaVersion());
    }
  }

  @Test
  void tells_when_the_server_started_by_the_clock_of_the_database() {
    GetServerInfoResponse first = info();
    GetServerInfoResponse second = info();
    assertEquals(first.getStartedAt(), second.getStartedAt());
    assertTrue(instant(first.getStartedAt()).isBefore(instant(first.getDatabaseTime())));
    assertTrue(instant(first.getDatabaseTime()).isBefore(instant(second.getDatabaseTime())));
  }

  @Test
  void a_limit_is_told_as_it_is_enforced() {
    long limit = info().getLimitsOrThrow("segment_bytes");
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
                    .putSegments(
                        PutSegmentsRequest.newBuilder()
                            .setOpen(StreamOpen.newBuilder().setStreamKey("limit-is-enforced"))
                            .setFirstIndex(0)
                            .addSegments(
                                Segment.newBuilder()
                                    .setText("x".repeat(Math.toIntExact(limit) + 1)))
                            .build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
  }

  @Test
  void lists_every_reason_with_the_names_of_its_facts() {
    List<ErrorInfo> errors = info().getErrorsList();
    assertEquals(
        Stream.of(Reason.values()).map(Reason::name).toList(),
        errors.stream().map(ErrorInfo::getReason).toList());
    for (ErrorInfo error : errors) {
      assertEquals("agentjournal", error.getDomain());
      assertEquals(
          Set.copyOf(Reason.valueOf(error.getReason()).factNames()),
          error.getMetadataMap().keySet());
    }
  }

  @Test
  void reflection_knows_error_info_so_that_tools_print_it() throws Exception {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(JOURNAL.channel())
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answer.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(
        ServerReflectionRequest.newBuilder()
            .setFileContainingSymbol("google.rpc.ErrorInfo")
            .build());
    assertTrue(answer.get(10, TimeUnit.SECONDS).hasFileDescriptorResponse());
    requests.onCompleted();
  }
}
