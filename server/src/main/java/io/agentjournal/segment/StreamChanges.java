package io.agentjournal.segment;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The meeting point of one server's commits, other servers' changes, and the open calls that have
 * to hear of them. What is told here shortens the wait and is never the truth: whoever misses
 * something finds it in the table. Thread-safe; nothing here blocks. Listeners are called on a
 * lane's or the watch's thread and must not block either.
 */
public final class StreamChanges {
  private final Map<Long, WatchedStream> watched = new ConcurrentHashMap<>();

  /**
   * Called by a lane after its commit, for each stream that it changed. One look into a map when
   * nobody follows.
   */
  void published(Head head, List<Extent> extents) {
    WatchedStream stream = watched.get(head.streamId());
    if (stream != null) {
      stream.published(new StreamChange(head, extents));
    }
  }

  /**
   * Tells the head as the table has it, once soon after the registration and again whenever
   * somebody else than its writer changed the stream, on any server (attempt replaced, ended,
   * superseded, deleted, abort requested, epoch raised). A stream whose row has gone is told as
   * DELETED.
   */
  Registration onHeadChange(long streamId, Consumer<Head> listener) {
    return register(
        streamId,
        stream -> stream.headListeners.add(listener),
        stream -> stream.headListeners.remove(listener));
  }

  /**
   * Tells every change of the stream, of whichever server: what a lane here commits, at once; the
   * rest by look-ups.
   */
  Registration follow(long streamId, Consumer<StreamChange> follower) {
    return register(
        streamId,
        stream -> stream.followers.add(follower),
        stream -> stream.followers.remove(follower));
  }

  private Registration register(
      long streamId, Consumer<WatchedStream> join, Consumer<WatchedStream> leave) {
    watched.compute(
        streamId,
        (id, known) -> {
          WatchedStream stream = known == null ? new WatchedStream() : known;
          join.accept(stream);
          return stream;
        });
    return () ->
        watched.computeIfPresent(
            streamId,
            (id, stream) -> {
              leave.accept(stream);
              return stream.isUnused() ? null : stream;
            });
  }
}
