package io.agentjournal.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.agentjournal.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import org.junit.jupiter.api.function.Executable;

/** How a call was refused, as every client finds it: the reason is told three times, and alike. */
public record Refused(Status.Code code, ErrorReason reason, Map<String, String> facts) {
  private static final Metadata.Key<String> TRAILER =
      Metadata.Key.of("agentjournal-reason", Metadata.ASCII_STRING_MARSHALLER);
  private static final String PREFIX = "ERROR_REASON_";

  /** Fails unless the call is refused. */
  public static Refused from(Executable call) {
    return of(assertThrows(StatusRuntimeException.class, call));
  }

  /** Fails unless the failure is a refusal. */
  public static Refused of(StatusRuntimeException failure) {
    ErrorInfo info = info(failure);
    assertEquals("agentjournal", info.getDomain());
    Metadata trailers = failure.getTrailers();
    assertNotNull(trailers);
    assertEquals(info.getReason(), trailers.get(TRAILER));
    String message = String.valueOf(failure.getStatus().getDescription());
    assertTrue(message.startsWith(info.getReason()), message);
    return new Refused(
        failure.getStatus().getCode(),
        ErrorReason.valueOf(PREFIX + info.getReason()),
        info.getMetadataMap());
  }

  private static ErrorInfo info(StatusRuntimeException failure) {
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    assertNotNull(status, failure.toString());
    assertEquals(1, status.getDetailsCount(), failure.toString());
    Any detail = status.getDetails(0);
    try {
      return detail.unpack(ErrorInfo.class);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(failure.toString(), e);
    }
  }

  /** The fact of this name; fails when it is not told. */
  public String fact(String name) {
    String value = facts.get(name);
    assertNotNull(value, name + " in " + facts);
    return value;
  }

  /** Fails unless it is this refusal, with these names and values in turn among its facts. */
  public void mustBe(Status.Code wantedCode, ErrorReason wantedReason, String... namesAndValues) {
    assertEquals(wantedReason, reason, facts.toString());
    assertEquals(wantedCode, code);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      assertEquals(namesAndValues[i + 1], facts.get(namesAndValues[i]), namesAndValues[i]);
    }
  }
}
