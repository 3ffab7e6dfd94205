package io.agentjournal.segment;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The followers that this server has of one stream, and how far they have been told of it. */
final class FollowedStream {
  private final List<Consumer<StreamChange>> followers = new CopyOnWriteArrayList<>();
  private final long streamId;
  private volatile long toldNextIndex = -1;
  private volatile boolean toldEnd;
  private volatile boolean toldSinceTick;
  private volatile long toldAtNanos = System.nanoTime();

  FollowedStream(long streamId) {
    this.streamId = streamId;
  }

  long streamId() {
    return streamId;
  }

  void add(Consumer<StreamChange> follower) {
    followers.add(follower);
    toldAtNanos = System.nanoTime();
  }

  void remove(Consumer<StreamChange> follower) {
    followers.remove(follower);
  }

  boolean isUnused() {
    return followers.isEmpty();
  }

  void tell(StreamChange change) {
    // A lane and the watch may tell at once. Whichever index is kept, it was told; a lower one only
    // costs a look-up.
    toldNextIndex = Math.max(toldNextIndex, change.head().nextIndex());
    toldEnd |= change.head().state() != StreamState.OPEN;
    toldSinceTick = true;
    toldAtNanos = System.nanoTime();
    followers.forEach(follower -> follower.accept(change));
  }

  /** The highest next_index that the followers were told; -1: none yet. */
  long toldNextIndex() {
    return toldNextIndex;
  }

  /** Whether a look at the table could find news; to be asked once a tick. */
  boolean mayHaveNews() {
    boolean told = toldSinceTick;
    toldSinceTick = false;
    return !told && !toldEnd;
  }

  long silentNanos() {
    return System.nanoTime() - toldAtNanos;
  }
}
