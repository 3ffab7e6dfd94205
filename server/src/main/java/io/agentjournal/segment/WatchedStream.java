package io.agentjournal.segment;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The open calls of this server that have to hear of one stream. */
final class WatchedStream {
  final List<Consumer<Head>> headListeners = new CopyOnWriteArrayList<>();
  final List<Consumer<StreamChange>> followers = new CopyOnWriteArrayList<>();

  void published(StreamChange change) {
    for (Consumer<StreamChange> follower : followers) {
      follower.accept(change);
    }
  }

  boolean isUnused() {
    return headListeners.isEmpty() && followers.isEmpty();
  }
}
