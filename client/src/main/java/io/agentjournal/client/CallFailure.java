package io.agentjournal.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Renewal;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended and what to do about it. Kept as a value, so that each thread that is told
 * throws its own.
 */
record CallFailure(
    Kind kind,
    Status.Code code,
    ErrorReason reason,
    Map<String, String> facts,
    String message,
    @Nullable Throwable cause) {

  private static final String DOMAIN = "agentjournal";
  private static final String REASON_PREFIX = "ERROR_REASON_";
  private static final Metadata.Key<String> REASON_TRAILER =
      Metadata.Key.of("agentjournal-reason", Metadata.ASCII_STRING_MARSHALLER);

  enum Kind {
    REFUSED,
    UNAVAILABLE,
    FAILED
  }

  static CallFailure of(Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    @Nullable ErrorInfo info = errorInfo(thrown);
    String reasonName = info == null ? reasonTrailer(thrown) : info.getReason();
    String description = status.getDescription();
    return new CallFailure(
        kind(status.getCode(), reasonName),
        status.getCode(),
        reason(reasonName),
        info == null ? Map.of() : Map.copyOf(info.getMetadataMap()),
        description == null ? status.getCode().toString() : description,
        thrown);
  }

  /** Of the client's own making. */
  static CallFailure of(Kind kind, Status.Code code, String message, @Nullable Throwable cause) {
    return new CallFailure(
        kind, code, ErrorReason.ERROR_REASON_UNSPECIFIED, Map.of(), message, cause);
  }

  static CallFailure of(Status status) {
    return of(new StatusRuntimeException(status));
  }

  /** What a write by the attempt would be refused with. */
  static CallFailure of(Renewal renewal) {
    return new CallFailure(
        Kind.REFUSED,
        Status.Code.FAILED_PRECONDITION,
        renewal.getReason(),
        Map.copyOf(renewal.getFactsMap()),
        "the lease is lost: " + renewal.getReason(),
        null);
  }

  /** The same call again, after a pause, may fare better. */
  boolean isTransient() {
    return kind == Kind.UNAVAILABLE;
  }

  private static Kind kind(Status.Code code, @Nullable String reasonName) {
    if (reasonName == null) {
      return switch (code) {
        // What a cut, a reset or a proxy in between looks like.
        case UNAVAILABLE,
            DEADLINE_EXCEEDED,
            CANCELLED,
            INTERNAL,
            UNKNOWN,
            ABORTED,
            RESOURCE_EXHAUSTED ->
            Kind.UNAVAILABLE;
        default -> Kind.FAILED;
      };
    }
    return switch (code) {
      case UNAVAILABLE, RESOURCE_EXHAUSTED -> Kind.UNAVAILABLE;
      case INTERNAL, DATA_LOSS, UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED -> Kind.FAILED;
      default -> Kind.REFUSED;
    };
  }

  private static ErrorReason reason(@Nullable String name) {
    if (name != null) {
      for (ErrorReason reason : ErrorReason.values()) {
        if (reason.name().equals(REASON_PREFIX + name)) {
          return reason;
        }
      }
    }
    return ErrorReason.ERROR_REASON_UNSPECIFIED;
  }

  private static @Nullable ErrorInfo errorInfo(Throwable thrown) {
    com.google.rpc.@Nullable Status details = StatusProto.fromThrowable(thrown);
    if (details == null) {
      return null;
    }
    for (Any detail : details.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        try {
          ErrorInfo info = detail.unpack(ErrorInfo.class);
          if (info.getDomain().equals(DOMAIN)) {
            return info;
          }
        } catch (InvalidProtocolBufferException damaged) {
          thrown.addSuppressed(damaged);
        }
      }
    }
    return null;
  }

  private static @Nullable String reasonTrailer(Throwable thrown) {
    Metadata trailers = Status.trailersFromThrowable(thrown);
    return trailers == null ? null : trailers.get(REASON_TRAILER);
  }
}
