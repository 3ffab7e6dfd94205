package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.outside.Program.Ran;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tool that knows nothing of ours but what reflection tells it. */
final class GrpcurlTest {
  static final String HOW_TO_GET_IT =
      "go install github.com/fullstorydev/grpcurl/cmd/grpcurl@latest";
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final int SEGMENTS_OF_A_LARGE_STREAM = 8;
  private static final String SEGMENTS = "agentjournal.v1.SegmentService/";

  @TempDir static Path directory;
  private static @Nullable ServerProcess server;
  private static Program grpcurl = new Program(Path.of("grpcurl"), Map.of());

  @BeforeAll
  static void start() {
    grpcurl = Program.require("grpcurl", HOW_TO_GET_IT);
    server = ServerProcess.start(directory);
  }

  @AfterAll
  static void end() {
    if (server != null) {
      server.close();
    }
  }

  private static Ran call(String method, String request, String... options) {
    List<String> arguments = new ArrayList<>(List.of("-plaintext"));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of("-d", request, target(), method));
    return grpcurl.run(directory, AT_MOST, arguments);
  }

  private static String target() {
    return Objects.requireNonNull(server).target();
  }

  private static void put(String stream, int index, String text) {
    call(
            SEGMENTS + "PutSegments",
            """
            {"open": {"stream_key": "%s"}, "first_index": %d, "segments": [{"text": "%s"}]}
            """
                .formatted(stream, index, text))
        .expectSuccess();
  }

  @Test
  void lists_the_services_by_reflection() {
    String services =
        grpcurl.run(directory, AT_MOST, List.of("-plaintext", target(), "list")).expectSuccess();
    assertTrue(services.contains("agentjournal.v1.SegmentService"), services);
    assertTrue(services.contains("grpc.health.v1.Health"), services);
  }

  @Test
  void describes_a_method() {
    String method =
        grpcurl
            .run(
                directory,
                AT_MOST,
                List.of(
                    "-plaintext", target(), "describe", SEGMENTS.replace('/', '.') + "PutSegments"))
            .expectSuccess();
    assertTrue(method.contains("rpc PutSegments"), method);
  }

  @Test
  void is_told_that_the_server_is_healthy() {
    String health = call("grpc.health.v1.Health/Check", "{}").expectSuccess();
    assertTrue(health.contains("SERVING"), health);
  }

  @Test
  void appends_and_reads() {
    put("appends", 0, "Hello");
    put("appends", 1, ", world");
    String read = call(SEGMENTS + "ReadSegments", "{\"stream_key\": \"appends\"}").expectSuccess();
    assertTrue(read.contains("\"text\": \"Hello\""), read);
    assertTrue(read.contains("READ_END_REASON_STILL_OPEN"), read);
  }

  @Test
  void follows_what_is_appended_meanwhile_until_the_stream_ends() {
    put("follows", 0, "before");
    CompletableFuture<Ran> follower =
        CompletableFuture.supplyAsync(
            () ->
                call(SEGMENTS + "ReadSegments", "{\"stream_key\": \"follows\", \"follow\": true}"));
    put("follows", 1, "meanwhile");
    call(
            SEGMENTS + "AppendSegments",
            """
            {"open": {"stream_key": "follows"}}
            {"first_index": 2, "segments": [{"text": "last"}], "end": {"finish_reason": "stop"}}
            """)
        .expectSuccess();
    String seen = follower.join().expectSuccess();
    for (String what : List.of("before", "meanwhile", "last", "READ_END_REASON_COMPLETE")) {
      assertTrue(seen.contains(what), seen);
    }
  }

  @Test
  void prints_why_a_call_was_refused_and_its_facts() {
    put("refused", 0, "first");
    Ran refused =
        call(
            SEGMENTS + "PutSegments",
            """
            {"open": {"stream_key": "refused"}, "first_index": 5, "segments": [{"text": "x"}]}
            """);
    assertEquals(64 + 11, refused.exitCode());
    assertTrue(refused.errors().contains("\"reason\": \"SEGMENT_GAP\""), refused.errors());
    assertTrue(refused.errors().contains("\"expected_index\": \"1\""), refused.errors());
  }

  /** B072. */
  @Test
  void reads_what_is_larger_than_the_4_mib_that_it_accepts_and_text_as_text() {
    String text = "grüße, 🎃, \u6ce2 ";
    String segment = text + "x".repeat(900 << 10);
    ManagedChannel channel = Objects.requireNonNull(server).channel();
    try {
      PutSegmentsRequest.Builder request =
          PutSegmentsRequest.newBuilder().setOpen(StreamOpen.newBuilder().setStreamKey("large"));
      for (int index = 0; index < SEGMENTS_OF_A_LARGE_STREAM; index++) {
        var unused =
            SegmentServiceGrpc.newBlockingStub(channel)
                .putSegments(
                    request
                        .setFirstIndex(index)
                        .clearSegments()
                        .addSegments(Segment.newBuilder().setText(segment))
                        .build());
      }
      var unused =
          SubmissionServiceGrpc.newBlockingStub(channel)
              .admitSubmission(
                  AdmitSubmissionRequest.newBuilder()
                      .setSubmissionId("large")
                      .setSessionKey("large")
                      .setInput(
                          Payload.newBuilder().setText(segment.repeat(SEGMENTS_OF_A_LARGE_STREAM)))
                      .build());
    } finally {
      channel.shutdownNow();
    }
    String stream = "{\"stream_key\": \"large\"}";
    String submission = "{\"submission_id\": \"large\"}";
    String read = call(SEGMENTS + "ReadSegments", stream).expectSuccess();
    assertEquals(SEGMENTS_OF_A_LARGE_STREAM, occurrences(read, "\"text\": \"" + text));
    String shown =
        call("agentjournal.v1.SubmissionService/GetSubmission", submission).expectSuccess();
    assertTrue(shown.contains("\"omitted\": true"), shown);
    String input = call("agentjournal.v1.SubmissionService/ReadInput", submission).expectSuccess();
    assertEquals(SEGMENTS_OF_A_LARGE_STREAM, occurrences(input, text));
  }

  private static long occurrences(String text, String part) {
    return Pattern.compile(part, Pattern.LITERAL).matcher(text).results().count();
  }

  @Test
  void keeps_namespaces_apart() {
    put("apart", 0, "mine");
    Ran elsewhere =
        call(
            SEGMENTS + "GetStream",
            "{\"stream_key\": \"apart\"}",
            "-H",
            "agentjournal-namespace: other");
    assertTrue(elsewhere.errors().contains("STREAM_NOT_FOUND"), elsewhere.errors());
  }
}
