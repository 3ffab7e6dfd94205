package io.agentjournal.it.model;

import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to a submission, in its order. Immutable: what comes next makes another one.
 */
final class Story {
  static final Story BEGIN = new Story(null, null);

  private final @Nullable Story before;
  private final @Nullable Happened last;
  private final int hash;

  /**
   * An event.
   *
   * @param event as it is told, without the submission's id
   * @param openIndex where the submission's stream then stood; null: none was open
   */
  record Happened(WatchSubmissionResponse event, @Nullable Long openIndex) {}

  private Story(@Nullable Story before, @Nullable Happened last) {
    this.before = before;
    this.last = last;
    this.hash = 31 * Objects.hashCode(before) + Objects.hashCode(last);
  }

  Story then(Happened next) {
    return new Story(this, next);
  }

  List<Happened> events() {
    Deque<Happened> events = new ArrayDeque<>();
    for (Story story = this; story != null && story.last != null; story = story.before) {
      events.addFirst(story.last);
    }
    return List.copyOf(events);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Story story
            && hash == story.hash
            && Objects.equals(last, story.last)
            && Objects.equals(before, story.before));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return events().toString();
  }
}
