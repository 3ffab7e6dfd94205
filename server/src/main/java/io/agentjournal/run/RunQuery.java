package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.rpc.PageRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which opened runs to list, oldest first.
 *
 * @param status null: any
 * @param onlyInterrupted of the running ones, those without a live lease
 */
record RunQuery(
    Namespace namespace, @Nullable RunStatus status, boolean onlyInterrupted, PageRequest page) {

  /** A run's place in the order. */
  record Place(Instant createdAt, String runId) {
    static final Place BEFORE_ALL = new Place(Instant.EPOCH, "");

    static Place of(Run run) {
      return new Place(run.createdAt(), run.id().id());
    }

    /** As a page's key. */
    String text() {
      return createdAt + " " + runId;
    }

    static Place ofText(String text) {
      int space = text.indexOf(' ');
      return new Place(Instant.parse(text.substring(0, space)), text.substring(space + 1));
    }
  }

  Place after() {
    return page.after() == null ? Place.BEFORE_ALL : Place.ofText(page.after());
  }
}
