package io.agentjournal.it.model;

import io.agentjournal.v1.ErrorReason;
import java.util.HashMap;
import java.util.Map;

/** The contract refuses a call: nothing of what the call was about to change is changed. */
final class Denied extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Answer answer;

  /**
   * Refuses.
   *
   * @param namesAndValues those of the facts that must be told, in turn
   */
  Denied(ErrorReason reason, Object... namesAndValues) {
    super(reason.name(), null, false, false);
    this.answer = Answer.refused(reason, facts(namesAndValues));
  }

  static Map<String, String> facts(Object... namesAndValues) {
    Map<String, String> facts = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      facts.put((String) namesAndValues[i], String.valueOf(namesAndValues[i + 1]));
    }
    return facts;
  }

  Answer answer() {
    return answer;
  }
}
