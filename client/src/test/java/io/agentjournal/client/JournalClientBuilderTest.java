package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.ReadInputRequest;
import io.agentjournal.v1.ReadInputResponse;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client's calls carry, as a real gRPC server sees it. */
@Timeout(60)
final class JournalClientBuilderTest {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> NAMESPACE =
      Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER);
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final BlockingQueue<Metadata> headers = new LinkedBlockingQueue<>();
  private final BlockingQueue<Long> secondsLeft = new LinkedBlockingQueue<>();
  private @Nullable Server server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.shutdownNow();
    }
  }

  @Test
  void it_speaks_tls_with_the_certificate_that_it_was_told_to_trust(@TempDir Path directory)
      throws Exception {
    KeyStore keys = newKeys(directory);
    String target = serve(TlsServerCredentials.create(certificate(keys), privateKey(keys)));
    try (JournalClient client =
        JournalClient.to(target)
            .credentials(TlsChannelCredentials.newBuilder().trustManager(certificate(keys)).build())
            .build()) {
      ask(client);
      assertEquals(1, headers.size());
    }
  }

  @Test
  void it_speaks_tls_unless_told_otherwise_and_trusts_no_stranger(@TempDir Path directory)
      throws Exception {
    KeyStore keys = newKeys(directory);
    String target = serve(TlsServerCredentials.create(certificate(keys), privateKey(keys)));
    try (JournalClient client = JournalClient.to(target).build()) {
      StatusRuntimeException failure =
          assertThrows(StatusRuntimeException.class, () -> ask(client));
      assertEquals(Status.Code.UNAVAILABLE, failure.getStatus().getCode());
      assertEquals(0, headers.size());
    }
  }

  @Test
  void each_call_carries_the_namespace_and_a_token_that_is_asked_for_anew() throws Exception {
    AtomicInteger tokens = new AtomicInteger();
    try (JournalClient client =
        JournalClient.to(serve(InsecureServerCredentials.create()))
            .plaintext()
            .namespace("tenant-1")
            .bearerToken(() -> "token-" + tokens.incrementAndGet())
            .build()) {
      ask(client);
      ask(client);
    }
    for (String token : List.of("Bearer token-1", "Bearer token-2")) {
      Metadata seen = headers.take();
      assertEquals(token, seen.get(AUTHORIZATION));
      assertEquals("tenant-1", seen.get(NAMESPACE));
    }
  }

  @Test
  void token_that_cannot_be_had_fails_the_call() throws Exception {
    try (JournalClient client =
        JournalClient.to(serve(InsecureServerCredentials.create()))
            .plaintext()
            .bearerToken(
                () -> {
                  throw new IllegalStateException("no token");
                })
            .build()) {
      JournalException failure =
          assertThrows(JournalException.Failed.class, () -> client.repeat(() -> ask(client)));
      assertEquals(Status.Code.UNAUTHENTICATED, failure.code());
    }
  }

  @Test
  void unary_call_without_a_deadline_gets_one_and_its_own_one_stays() throws Exception {
    try (JournalClient client =
        JournalClient.to(serve(InsecureServerCredentials.create()))
            .plaintext()
            .deadline(Duration.ofSeconds(100))
            .build()) {
      ask(client);
      assertBetween(90, secondsLeft.take(), 100);
      var unused =
          stub(client)
              .withDeadlineAfter(1_000, TimeUnit.SECONDS)
              .getSubmission(GetSubmissionRequest.getDefaultInstance());
      assertBetween(900, secondsLeft.take(), 1_000);
      stub(client).readInput(ReadInputRequest.getDefaultInstance()).forEachRemaining(part -> {});
      assertEquals(Long.MAX_VALUE, secondsLeft.take());
    }
  }

  @Test
  void repeat_makes_the_call_until_it_is_answered_and_no_more_after_a_refusal() {
    AtomicInteger calls = new AtomicInteger();
    try (JournalClient client = JournalClient.to("127.0.0.1:1").plaintext().build()) {
      int answered =
          client.repeat(
              () -> {
                if (calls.incrementAndGet() < 4) {
                  throw Status.UNAVAILABLE.asRuntimeException();
                }
                return calls.get();
              });
      assertEquals(4, answered);
      assertThrows(
          JournalException.class,
          () ->
              client.repeat(
                  () -> {
                    calls.incrementAndGet();
                    throw Status.FAILED_PRECONDITION.asRuntimeException();
                  }));
      assertEquals(5, calls.get());
    }
  }

  private static GetSubmissionResponse ask(JournalClient client) {
    return stub(client).getSubmission(GetSubmissionRequest.getDefaultInstance());
  }

  private static SubmissionServiceBlockingStub stub(JournalClient client) {
    return SubmissionServiceGrpc.newBlockingStub(client.channel());
  }

  private static void assertBetween(long least, long seen, long most) {
    assertTrue(least <= seen && seen <= most, seen + " is not from " + least + " to " + most);
  }

  /** Returns the target. */
  private String serve(ServerCredentials credentials) throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, credentials)
            .addService(new Answering())
            .intercept(new Noting())
            .build()
            .start();
    assertNull(headers.peek());
    return "127.0.0.1:" + server.getPort();
  }

  private static final class Answering extends SubmissionServiceGrpc.SubmissionServiceImplBase {
    @Override
    public void getSubmission(
        GetSubmissionRequest request, StreamObserver<GetSubmissionResponse> answers) {
      answers.onNext(GetSubmissionResponse.getDefaultInstance());
      answers.onCompleted();
    }

    @Override
    public void readInput(ReadInputRequest request, StreamObserver<ReadInputResponse> answers) {
      answers.onCompleted();
    }
  }

  private final class Noting implements ServerInterceptor {
    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
        ServerCall<ReqT, RespT> call, Metadata seen, ServerCallHandler<ReqT, RespT> next) {
      headers.add(seen);
      Deadline deadline = Context.current().getDeadline();
      secondsLeft.add(deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.SECONDS));
      return next.startCall(call, seen);
    }
  }

  private static KeyStore newKeys(Path directory) throws Exception {
    Path file = directory.resolve("keys.p12");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            "journal",
            "-keyalg",
            "EC",
            "-dname",
            "CN=journal",
            "-ext",
            "SAN=ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            file.toString(),
            "-storepass",
            new String(PASSWORD));
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    assertEquals(0, code);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream stored = Files.newInputStream(file)) {
      keys.load(stored, PASSWORD);
    }
    return keys;
  }

  private static InputStream certificate(KeyStore keys) throws Exception {
    return pem("CERTIFICATE", keys.getCertificate("journal").getEncoded());
  }

  private static InputStream privateKey(KeyStore keys) throws Exception {
    return pem("PRIVATE KEY", keys.getKey("journal", PASSWORD).getEncoded());
  }

  private static InputStream pem(String what, byte[] bytes) {
    String text =
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(what, Base64.getMimeEncoder().encodeToString(bytes), what);
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }
}
