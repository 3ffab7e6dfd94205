package io.agentjournal.client;

/**
 * A segment that no journal would take: half a surrogate pair in a text, or more than 1 MiB. Thrown
 * where it is appended; nothing was sent, and its index is still free.
 */
public final class InvalidSegment extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final long index;

  InvalidSegment(long index, String what) {
    super("segment " + index + ": " + what);
    this.index = index;
  }

  /** The index that the segment would have had. */
  public long index() {
    return index;
  }
}
