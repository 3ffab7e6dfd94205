package io.agentjournal.segment;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who has to hear of what, by key; each listener registers once. Thread-safe. */
final class Listeners<K, E> {
  private final ConcurrentMap<K, List<Consumer<E>>> byKey = new ConcurrentHashMap<>();

  Registration add(K key, Consumer<E> listener) {
    byKey.compute(
        key,
        (ignored, known) -> {
          List<Consumer<E>> listeners = known == null ? new CopyOnWriteArrayList<>() : known;
          listeners.add(listener);
          return listeners;
        });
    return () ->
        byKey.computeIfPresent(
            key,
            (ignored, listeners) -> {
              listeners.remove(listener);
              return listeners.isEmpty() ? null : listeners;
            });
  }

  void tell(K key, E event) {
    List<Consumer<E>> listeners = byKey.get(key);
    if (listeners != null) {
      listeners.forEach(listener -> listener.accept(event));
    }
  }

  boolean contains(K key) {
    return byKey.containsKey(key);
  }

  boolean isEmpty() {
    return byKey.isEmpty();
  }

  Iterable<K> keys() {
    return byKey.keySet();
  }
}
