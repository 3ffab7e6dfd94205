package io.agentjournal.client;

import io.agentjournal.v1.EventKind;
import java.util.Locale;

/** The texts that a run's memo records itself. */
final class RunKeys {
  private static final String KIND_PREFIX = "EVENT_KIND_";

  private final String runId;

  RunKeys(String runId) {
    this.runId = runId;
  }

  /** run:seq:name, {@code %} and {@code :} inside the ids percent-encoded, so that none collide. */
  String idempotencyKey(long seq, String name) {
    return encoded(runId) + ":" + seq + ":" + encoded(name);
  }

  static String word(EventKind kind) {
    return kind.name().substring(KIND_PREFIX.length()).toLowerCase(Locale.ROOT);
  }

  /**
   * @param startedBy tells this process's call from those of others
   */
  static String call(RunTool tool, String idempotencyKey, String startedBy) {
    return "{\"name\":%s,\"args\":%s,\"idempotency_key\":%s,\"started_by\":%s}"
        .formatted(
            quoted(tool.name()), tool.argumentsJson(), quoted(idempotencyKey), quoted(startedBy));
  }

  /** Whether a recorded call may be the one with this key: one that tells no key may. */
  static boolean mayBeCall(String callJson, String idempotencyKey) {
    return !callJson.contains("\"idempotency_key\"") || callJson.contains(quoted(idempotencyKey));
  }

  /** Of a tool of which nobody knows whether it was called: a text that no tool answers. */
  static String outcomeUnknown(String idempotencyKey) {
    return "{\"agentjournal\":\"outcome_unknown\",\"idempotency_key\":%s}"
        .formatted(quoted(idempotencyKey));
  }

  static String iteration(long index) {
    return "{\"index\":%d}".formatted(index);
  }

  private static String encoded(String id) {
    return id.replace("%", "%25").replace(":", "%3A");
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == '"' || next == '\\') {
        json.append('\\').append(next);
      } else if (next < ' ') {
        json.append("\\u%04x".formatted((int) next));
      } else {
        json.append(next);
      }
    }
    return json.append('"').toString();
  }
}
