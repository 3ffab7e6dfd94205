package io.agentjournal.submission;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Identifier;
import io.agentjournal.payload.Payload;
import io.agentjournal.refusal.Refusal.InvalidField;
import org.jspecify.annotations.Nullable;

/**
 * How a submission is to end.
 *
 * @param failureCode only with FAILED and ABORTED, as is failureMessage
 */
public record Settlement(
    Outcome outcome,
    Payload result,
    @Nullable String failureCode,
    @Nullable String failureMessage) {
  private static final int MAX_MESSAGE_BYTES = 16 << 10;

  public Settlement {
    if (outcome == Outcome.COMPLETED && (failureCode != null || failureMessage != null)) {
      throw InvalidField.because("settlement.failure", "with COMPLETED");
    }
    if (failureCode != null) {
      Identifier.checkText("settlement.failure.code", failureCode, Identifier.MAX_BYTES);
    }
    if (failureMessage != null) {
      Identifier.checkText("settlement.failure.message", failureMessage, MAX_MESSAGE_BYTES);
    }
  }

  /** One that the server decides on. */
  public static Settlement without(Outcome outcome, String failureCode, String failureMessage) {
    return new Settlement(outcome, Payload.NONE, failureCode, failureMessage);
  }

  /** Tells whether another settlement by the same attempt is this one again. */
  ByteString sha256() {
    return new Sha256()
        .text(outcome.name())
        .number(result.kind().code())
        .bytes(result.bytes())
        .text(failureCode == null ? "" : failureCode)
        .text(failureMessage == null ? "" : failureMessage)
        .digest();
  }
}
