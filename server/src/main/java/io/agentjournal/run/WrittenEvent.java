package io.agentjournal.run;

/**
 * A row that a statement inserted or replaced.
 *
 * @param version the number that its {@link PlacedEvent} had
 * @param position the same, if the row is new
 */
record WrittenEvent(String runId, long version, long position) {
  boolean isInserted() {
    return version == position;
  }
}
