package io.agentjournal.client;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link JournalClient}. Without {@link #plaintext} it speaks TLS and trusts what the
 * JVM trusts.
 */
public final class JournalClientBuilder {
  private final String target;
  private ChannelCredentials credentials = TlsChannelCredentials.create();
  private @Nullable String namespace;
  private @Nullable CallCredentials caller;
  private Duration keepAliveTime = Duration.ofSeconds(20);
  private Duration keepAliveTimeout = Duration.ofSeconds(10);
  private RetryTimes retry = RetryTimes.DEFAULT;
  private Duration deadline = Duration.ofSeconds(60);
  private final List<ClientInterceptor> interceptors = new ArrayList<>();

  JournalClientBuilder(String target) {
    this.target = target;
  }

  public JournalClientBuilder plaintext() {
    return credentials(InsecureChannelCredentials.create());
  }

  /** For example {@link TlsChannelCredentials} with a certificate of one's own. */
  public JournalClientBuilder credentials(ChannelCredentials credentials) {
    this.credentials = credentials;
    return this;
  }

  /** Unset: the namespace of the credential, else "default". */
  public JournalClientBuilder namespace(String namespace) {
    if (!namespace.chars().allMatch(unit -> unit > ' ' && unit < 0x7f)) {
      throw new IllegalArgumentException("a namespace is sent as a header: printable ASCII only");
    }
    this.namespace = namespace;
    return this;
  }

  /**
   * Sent as {@code authorization: Bearer ...}. Asked for each call, so that a token may change, and
   * for many calls at once.
   */
  public JournalClientBuilder bearerToken(Supplier<String> bearerToken) {
    return caller(new BearerToken(bearerToken));
  }

  /** Whatever else says who makes a call. */
  public JournalClientBuilder caller(CallCredentials caller) {
    this.caller = caller;
    return this;
  }

  /**
   * A connection that was silent for {@code time} while a call is open is asked for a sign of life,
   * and given up without one after {@code timeout}. 20 s and 10 s; the server permits a time of 10
   * s or more.
   */
  public JournalClientBuilder keepAlive(Duration time, Duration timeout) {
    this.keepAliveTime = time;
    this.keepAliveTimeout = timeout;
    return this;
  }

  /**
   * Writers, readers and keepers repeat over a server that is away, with pauses that grow to {@code
   * longestPause} (2 s), until {@code giveUpAfter} (5 min) has passed without any progress.
   */
  public JournalClientBuilder retry(Duration longestPause, Duration giveUpAfter) {
    this.retry = new RetryTimes(longestPause, giveUpAfter);
    return this;
  }

  /**
   * For each unary call on the stubs that has no deadline of its own; 60 s. Longer than what it is
   * to wait for on the server.
   */
  public JournalClientBuilder deadline(Duration deadline) {
    if (deadline.isNegative() || deadline.isZero()) {
      throw new IllegalArgumentException("deadline is " + deadline);
    }
    this.deadline = deadline;
    return this;
  }

  /** Sees every call of the client, for tracing and for measuring. */
  public JournalClientBuilder intercept(ClientInterceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  /** Does not connect yet: the first call does. */
  public JournalClient build() {
    ManagedChannel connections =
        Grpc.newChannelBuilder(target, credentials)
            .keepAliveTime(keepAliveTime.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(keepAliveTimeout.toNanos(), TimeUnit.NANOSECONDS)
            .intercept(new CallMetadata(namespace, caller), new UnaryDeadline(deadline))
            .intercept(interceptors)
            .build();
    return new JournalClient(connections, connections, retry);
  }
}
