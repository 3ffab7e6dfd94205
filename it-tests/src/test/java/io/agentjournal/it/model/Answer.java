package io.agentjournal.it.model;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.agentjournal.v1.ErrorReason;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a call came to: messages, or a refusal. Without times, which no model can know: of a message
 * they are there or not.
 *
 * @param reason null: not refused
 * @param facts of the model: those that must be told; of a server: all that it told
 */
record Answer(List<Message> messages, @Nullable ErrorReason reason, Map<String, String> facts) {
  private static final TextFormat.Printer PRINTER = TextFormat.printer();

  Answer {
    messages = List.copyOf(messages);
    facts = Map.copyOf(facts);
  }

  static Answer of(Message... messages) {
    return new Answer(List.of(messages), null, Map.of());
  }

  static Answer refused(ErrorReason reason, Map<String, String> facts) {
    return new Answer(List.of(), reason, facts);
  }

  /** Whether a server that follows the contract may have answered so. */
  boolean explains(Answer observed) {
    return reason == observed.reason
        && messages.equals(observed.messages)
        && observed.facts.entrySet().containsAll(facts.entrySet());
  }

  /** The server could not, and has changed nothing. */
  boolean isBusy() {
    return reason == ErrorReason.ERROR_REASON_DATABASE_UNAVAILABLE
        && "nothing_changed".equals(facts.get("outcome"));
  }

  @Override
  public String toString() {
    if (reason != null) {
      return reason + " " + facts;
    }
    return messages.stream()
        .map(
            message ->
                message.getDescriptorForType().getName()
                    + " {"
                    + PRINTER.emittingSingleLine(true).printToString(message)
                    + "}")
        .collect(Collectors.joining(", "));
  }
}
