package io.agentjournal.rpc;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.refusal.Reason;
import io.agentjournal.refusal.Refusal;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what ended a call into the status that its caller gets: a code, a message that begins with
 * the reason, one {@link ErrorInfo}, and the reason once more as a plain trailer for clients that
 * cannot read the details.
 */
public final class RefusalStatus {
  public static final String DOMAIN = "agentjournal";
  public static final Metadata.Key<String> REASON =
      Metadata.Key.of("agentjournal-reason", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * The message goes into the trailers twice, once with three bytes for each that is not ASCII, and
   * stock clients take 8 KiB of them. The facts are whole.
   */
  private static final int MAX_MESSAGE_CHARS = 200;

  private static final Logger LOG = LoggerFactory.getLogger(RefusalStatus.class);

  private RefusalStatus() {}

  public static StatusRuntimeException of(String call, Throwable failure) {
    return of(call, failure, Map.of());
  }

  /**
   * What nobody foresaw is a bug: logged under a reference, and answered with nothing but that.
   *
   * @param more facts beside the failure's own: how far the call got
   */
  public static StatusRuntimeException of(
      String call, Throwable failure, Map<String, String> more) {
    if (failure instanceof Refusal refusal) {
      return of(refusal, more);
    }
    if (failure instanceof DatabaseUnavailable unavailable) {
      LOG.warn("{}: {}", call, unavailable.getMessage());
      return unavailable(unavailable, more);
    }
    String reference = UUID.randomUUID().toString();
    LOG.error("{} failed, reference {}", call, reference, failure);
    String internal = Reason.INTERNAL.name();
    return status(
        Status.Code.INTERNAL,
        internal,
        internal + " reference=" + reference,
        Map.of("reference", reference));
  }

  public static StatusRuntimeException of(Refusal refusal) {
    return of(refusal, Map.of());
  }

  private static StatusRuntimeException of(Refusal refusal, Map<String, String> more) {
    return status(
        code(refusal.reason().kind()),
        refusal.reason().name(),
        String.valueOf(refusal.getMessage()),
        both(more, refusal.facts()));
  }

  /** Where both know a fact, the failure's own is the one that decided. */
  private static Map<String, String> both(Map<String, String> more, Map<String, String> own) {
    Map<String, String> facts = new LinkedHashMap<>(more);
    facts.putAll(own);
    return facts;
  }

  private static StatusRuntimeException unavailable(
      DatabaseUnavailable unavailable, Map<String, String> more) {
    String reason = Reason.DATABASE_UNAVAILABLE.name();
    String outcome = unavailable.outcomeUnknown() ? "unknown" : "nothing_changed";
    return status(
        Status.Code.UNAVAILABLE,
        reason,
        reason + " outcome=" + outcome,
        both(more, Map.of("outcome", outcome)));
  }

  private static Status.Code code(Reason.Kind kind) {
    return switch (kind) {
      case FAILED_PRECONDITION -> Status.Code.FAILED_PRECONDITION;
      case ABORTED -> Status.Code.ABORTED;
      case ALREADY_EXISTS -> Status.Code.ALREADY_EXISTS;
      case OUT_OF_RANGE -> Status.Code.OUT_OF_RANGE;
      case NOT_FOUND -> Status.Code.NOT_FOUND;
      case INVALID_ARGUMENT -> Status.Code.INVALID_ARGUMENT;
      case RESOURCE_EXHAUSTED -> Status.Code.RESOURCE_EXHAUSTED;
      case UNAVAILABLE -> Status.Code.UNAVAILABLE;
      case DATA_LOSS -> Status.Code.DATA_LOSS;
      case INTERNAL -> Status.Code.INTERNAL;
    };
  }

  private static StatusRuntimeException status(
      Status.Code code, String reason, String message, Map<String, String> facts) {
    ErrorInfo info =
        ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(reason).putAllMetadata(facts).build();
    Metadata trailers = new Metadata();
    trailers.put(REASON, reason);
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(Excerpt.of(message, MAX_MESSAGE_CHARS))
            .addDetails(Any.pack(info))
            .build(),
        trailers);
  }
}
