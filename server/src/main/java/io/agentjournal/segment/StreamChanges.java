package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * The meeting point of one server's commits, other servers' changes (which {@link StreamWatch}
 * finds), and the open calls that have to hear of them. What is told here shortens the wait and is
 * never the truth: whoever misses something finds it in the table. Thread-safe; nothing here blocks
 * but {@link #awaitRegistration}. Listeners are called on a lane's or the watch's thread and must
 * not block either.
 */
public final class StreamChanges {
  private final Listeners<Long, Head> headListeners = new Listeners<>();
  private final Listeners<StreamKey, Head> awaiting = new Listeners<>();
  private final ConcurrentMap<Long, FollowedStream> followed = new ConcurrentHashMap<>();
  private final Queue<Long> unlooked = new ConcurrentLinkedQueue<>();
  private final Semaphore registered = new Semaphore(0);

  /**
   * Called by a lane after its commit, for each stream that it changed. A look into each of two
   * maps when nobody follows or waits.
   */
  void committed(StreamKey key, Head head, List<Extent> extents) {
    appeared(key, head);
    published(head, extents);
  }

  /** Called after a commit that changed the stream. */
  void published(Head head, List<Extent> extents) {
    FollowedStream stream = followed.get(head.streamId());
    if (stream != null) {
      stream.tell(new StreamChange(head, extents));
    }
  }

  /**
   * Tells the head as the table has it, once soon after the registration and again whenever
   * somebody else than its writer changed the stream, on any server (attempt replaced, ended,
   * superseded, deleted, abort requested, epoch raised). A stream whose row has gone is told as
   * DELETED.
   */
  Registration onHeadChange(long streamId, Consumer<Head> listener) {
    Registration registration = headListeners.add(streamId, listener);
    unlooked.add(streamId);
    wakeWatch();
    return registration;
  }

  /**
   * Tells every change of the stream, of whichever server: what a lane here commits, at once; the
   * rest by look-ups. A follower registers first and reads the table then.
   */
  public Registration follow(long streamId, Consumer<StreamChange> follower) {
    followed.compute(
        streamId,
        (id, known) -> {
          FollowedStream stream = known == null ? new FollowedStream(id) : known;
          stream.add(follower);
          return stream;
        });
    wakeWatch();
    return () ->
        followed.computeIfPresent(
            streamId,
            (id, stream) -> {
              stream.remove(follower);
              return stream.isUnused() ? null : stream;
            });
  }

  /**
   * Tells the head of the stream of this key, again and again: what a lane here commits to it, at
   * once; and by look-ups that there is one. Whoever has heard of it closes the registration.
   */
  Registration awaitStream(StreamKey key, Consumer<Head> listener) {
    Registration registration = awaiting.add(key, listener);
    wakeWatch();
    return registration;
  }

  private void wakeWatch() {
    if (registered.availablePermits() == 0) {
      registered.release();
    }
  }

  // --- What the watch does with it, on its own thread.

  boolean isWatched() {
    return concernsAny() || !awaiting.isEmpty();
  }

  boolean hasReaders() {
    return !followed.isEmpty() || !awaiting.isEmpty();
  }

  /** Blocks until somebody has registered since this was called last. */
  void awaitRegistration() throws InterruptedException {
    registered.acquire();
    registered.drainPermits();
  }

  /** Whether any stream that exists is watched. */
  boolean concernsAny() {
    return !headListeners.isEmpty() || !followed.isEmpty();
  }

  boolean concerns(long streamId) {
    return headListeners.contains(streamId) || followed.containsKey(streamId);
  }

  /** Moves the streams that nobody has looked at since their registration into {@code into}. */
  void drainUnlooked(Set<Long> into) {
    for (Long streamId = unlooked.poll(); streamId != null; streamId = unlooked.poll()) {
      if (headListeners.contains(streamId)) {
        into.add(streamId);
      }
    }
  }

  Collection<FollowedStream> followed() {
    return followed.values();
  }

  Iterable<StreamKey> awaited() {
    return awaiting.keys();
  }

  /** Somebody changed the stream: its head as it is now. */
  void noticed(Head head) {
    headListeners.tell(head.streamId(), head);
    published(head, List.of());
  }

  /** A look at a followed stream found more than its followers were told. */
  void found(StreamChange change) {
    published(change.head(), change.extents());
  }

  void appeared(StreamKey key, Head head) {
    awaiting.tell(key, head);
  }
}
