package io.agentjournal.client;

import io.agentjournal.v1.ErrorReason;
import io.grpc.Status;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A failed call, in the words of the contract. {@link Refused} is final: the same call again is
 * refused again. {@link Unavailable} may be repeated. {@link Failed} is anything that the journal
 * did not say.
 */
public abstract sealed class JournalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient CallFailure failure;

  private JournalException(CallFailure failure) {
    super(failure.message(), failure.cause());
    this.failure = failure;
  }

  /**
   * Of what a call on the generated stubs threw: a {@link io.grpc.StatusRuntimeException} or {@link
   * io.grpc.StatusException}. One of these comes back as it is; anything else is {@link Failed}
   * with code UNKNOWN.
   */
  public static JournalException of(Throwable thrown) {
    return thrown instanceof JournalException told ? told : of(CallFailure.of(thrown));
  }

  static JournalException of(CallFailure failure) {
    return switch (failure.kind()) {
      case REFUSED -> new Refused(failure);
      case UNAVAILABLE -> new Unavailable(failure);
      case FAILED -> new Failed(failure);
    };
  }

  /** ERROR_REASON_UNSPECIFIED when the server gave none, or one that this client does not know. */
  public ErrorReason reason() {
    return failure.reason();
  }

  /** By the names that errors.proto lists for the reason. */
  public Map<String, String> facts() {
    return failure.facts();
  }

  public @Nullable String fact(String name) {
    return failure.facts().get(name);
  }

  /** How far the stream is stored, where the server said so: segments below it are durable. */
  public OptionalLong nextIndex() {
    String stored = failure.facts().get("next_index");
    return stored == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(stored));
  }

  public Status.Code code() {
    return failure.code();
  }

  /** Somebody else may write now, or nobody any more: the work is to be stopped, not repeated. */
  public boolean isFenced() {
    return switch (failure.reason()) {
      case ERROR_REASON_STALE_ATTEMPT,
          ERROR_REASON_STALE_EPOCH,
          ERROR_REASON_ALREADY_SETTLED,
          ERROR_REASON_RUN_CLAIMED ->
          true;
      default -> false;
    };
  }

  /** The journal has judged the call and said no. Never worth a repeat as it is. */
  public static final class Refused extends JournalException {
    private static final long serialVersionUID = 1L;

    private Refused(CallFailure failure) {
      super(failure);
    }
  }

  /** Nobody answered, or not now. Repeating the call is safe. */
  public static final class Unavailable extends JournalException {
    private static final long serialVersionUID = 1L;

    private Unavailable(CallFailure failure) {
      super(failure);
    }
  }

  /** Not allowed, not implemented, damaged, or a bug: for people to look at. */
  public static final class Failed extends JournalException {
    private static final long serialVersionUID = 1L;

    private Failed(CallFailure failure) {
      super(failure);
    }
  }
}
