package io.agentjournal.refusal;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The facts of a refusal by name, in the order in which they are told. */
record Facts(Map<String, String> asMap) {

  /**
   * Names and values in turn. A value that is null is left out; a duration is told in milliseconds.
   */
  static Facts of(@Nullable Object... namesAndValues) {
    Map<String, String> facts = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value instanceof Duration duration) {
        facts.put(String.valueOf(namesAndValues[i]), Long.toString(duration.toMillis()));
      } else if (value != null) {
        facts.put(String.valueOf(namesAndValues[i]), value.toString());
      }
    }
    return new Facts(Collections.unmodifiableMap(facts));
  }

  String asText() {
    return asMap.entrySet().stream()
        .map(fact -> " " + fact.getKey() + "=" + fact.getValue())
        .collect(Collectors.joining());
  }
}
