package io.agentjournal.run;

import java.util.Locale;

/** What an event records. */
enum EventKind {
  MODEL_DECISION,
  TOOL_CALL,
  TOOL_RESULT,
  APPROVAL,
  ITERATION,
  VERIFICATION;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** As stored in run_events.kind, and as told in errors. */
  String word() {
    return word;
  }

  static EventKind ofWord(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
