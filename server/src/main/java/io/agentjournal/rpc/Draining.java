package io.agentjournal.rpc;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this server is going away. Calls that last register to hear of it. Thread-safe. */
public final class Draining {
  private static final Logger LOG = LoggerFactory.getLogger(Draining.class);

  private final Set<Listener> listeners = new LinkedHashSet<>();
  private boolean begun;

  /** Kept by who registered, and closed when it no longer cares. */
  public interface Registration extends AutoCloseable {
    @Override
    void close();
  }

  public synchronized boolean begun() {
    return begun;
  }

  /** Runs the listener once, when draining begins, or at once if it has. It must not block. */
  public Registration onBegin(Runnable listener) {
    Listener registered = new Listener(listener);
    synchronized (this) {
      if (!begun) {
        listeners.add(registered);
        return () -> remove(registered);
      }
    }
    registered.tell();
    return () -> {};
  }

  /** Tells all listeners, in the order in which they came. */
  public void begin() {
    List<Listener> told;
    synchronized (this) {
      begun = true;
      told = new ArrayList<>(listeners);
      listeners.clear();
    }
    told.forEach(Listener::tell);
  }

  private synchronized void remove(Listener listener) {
    listeners.remove(listener);
  }

  /** By identity: the same Runnable may register twice. */
  private static final class Listener {
    private final Runnable action;

    Listener(Runnable action) {
      this.action = action;
    }

    void tell() {
      try {
        action.run();
      } catch (RuntimeException e) {
        LOG.error("A call failed to drain", e);
      }
    }
  }
}
