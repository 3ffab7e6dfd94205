package io.agentjournal.slot;

import java.util.Locale;

/** How far a turn got. Within a turn it only goes forward. */
public enum Phase {
  BEFORE_PROVIDER,
  PROVIDER_STARTED,
  TOOL_REQUEST_RECORDED,
  COMMITTED;

  private final String stored = name().toLowerCase(Locale.ROOT);

  /** As in the column, and as told to callers. */
  public String stored() {
    return stored;
  }

  static Phase ofStored(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
