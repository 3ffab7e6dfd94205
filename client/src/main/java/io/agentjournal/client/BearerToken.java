package io.agentjournal.client;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Asks for the token anew for each call; a supplier that throws fails that call. */
final class BearerToken extends CallCredentials {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Supplier<String> token;

  BearerToken(Supplier<String> token) {
    this.token = token;
  }

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
    executor.execute(
        () -> {
          Metadata headers = new Metadata();
          try {
            headers.put(AUTHORIZATION, "Bearer " + token.get());
          } catch (RuntimeException failure) {
            applier.fail(
                Status.UNAUTHENTICATED
                    .withDescription("the token's supplier failed")
                    .withCause(failure));
            return;
          }
          applier.apply(headers);
        });
  }
}
