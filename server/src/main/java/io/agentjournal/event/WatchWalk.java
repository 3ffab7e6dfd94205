package io.agentjournal.event;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.segment.StreamState;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts events and segments into their one order, which is the same for all who watch, whenever and
 * wherever they do. For one look, which it goes through:
 *
 * <ol>
 *   <li>while a stream is told of: its segments up to the index that the next event bears;
 *   <li>when the next event bears none, or there is no next one: all of its segments and, once it
 *       has ended, its end;
 *   <li>then the event.
 * </ol>
 *
 * Where the look does not reach, the walk ends, and another look is needed.
 */
final class WatchWalk {
  private final SubmissionId submission;
  private final WatchFound.More found;
  private final boolean withSegments;
  private final Deque<StoredEvent> events;
  private final List<WatchItem> items = new ArrayList<>();
  private WatchPosition position;

  private WatchWalk(
      WatchPosition from, WatchPosition.Watched watched, WatchFound.More found, boolean segments) {
    this.submission = watched.id();
    this.found = found;
    this.withSegments = segments;
    this.events = new ArrayDeque<>(found.events());
    this.position = from;
  }

  /** What comes after the walk. */
  enum Then {
    /** Another look. */
    LOOK,
    /** All was told that there is. */
    WAIT,
    /** All was told that there ever will be. */
    END
  }

  record Walked(List<WatchItem> items, WatchPosition position, Then then) {}

  static Walked walk(
      WatchPosition from,
      WatchPosition.Watched submission,
      WatchFound.More found,
      boolean withSegments) {
    WatchWalk walk = new WatchWalk(from, submission, found, withSegments);
    Then then = walk.walk();
    return new Walked(walk.items, walk.position, then);
  }

  private Then walk() {
    while (true) {
      StoredEvent next = events.peek();
      StretchRows.Place place = position.stream();
      if (place != null) {
        StreamStretch stretch = found.stretch();
        if (stretch == null || !stretch.key().equals(place.key())) {
          return Then.LOOK;
        }
        if (!tellSegments(stretch, place, next)) {
          return Then.LOOK;
        }
        if (next == null || next.streamIndex() == null) {
          if (stretch.head().state() == StreamState.OPEN) {
            return next == null && !found.isCut() ? Then.WAIT : Then.LOOK;
          }
          tell(new WatchItem.OfStreamEnd(submission, stretch, position.at(null)));
        }
      }
      if (next == null) {
        return rest();
      }
      events.remove();
      tell(new WatchItem.OfEvent(submission, next, position.after(next)));
    }
  }

  /**
   * Answers whether all segments that come before the next event were told. Of a stream that is
   * deleted none are left, or soon will be.
   */
  private boolean tellSegments(
      StreamStretch stretch, StretchRows.Place place, @Nullable StoredEvent next) {
    boolean isDeleted = stretch.head().state() == StreamState.DELETED;
    Long wanted = next == null ? null : next.streamIndex();
    long stored = stretch.head().nextIndex();
    long upTo = wanted == null || (wanted > stored && !isDeleted) ? stored : wanted;
    boolean passesOver = !withSegments || isDeleted;
    long reached =
        passesOver ? Math.max(upTo, place.nextIndex()) : stretch.reach(place.nextIndex(), upTo);
    WatchPosition after = position.at(new StretchRows.Place(place.key(), reached));
    if (passesOver) {
      position = after;
    } else if (reached > place.nextIndex()) {
      tell(new WatchItem.OfSegments(submission, stretch, place.nextIndex(), reached, after));
    }
    return reached >= (wanted == null ? stored : wanted);
  }

  private void tell(WatchItem item) {
    items.add(item);
    position = item.after();
  }

  private Then rest() {
    if (found.isCut()) {
      return Then.LOOK;
    }
    return found.isSettled() ? Then.END : Then.WAIT;
  }
}
