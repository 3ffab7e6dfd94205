package io.agentjournal.client;

import io.agentjournal.v1.Event;

/** An event that is to be sent. */
record OutgoingEvent(Event event) implements Outgoing {
  /** What it costs in memory besides what is sent. */
  private static final int OVERHEAD_BYTES = 64;

  @Override
  public int windowBytes() {
    return event.getSerializedSize() + OVERHEAD_BYTES;
  }
}
