package io.agentjournal.event;

import io.agentjournal.refusal.Refusal.CorruptExtent;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What a watch has in hand to be told, where it then stands, and what it needs to go on. Never more
 * is in hand than one look brings. Used by one step at a time.
 */
final class WatchProgress {
  /** How a watch ends that is not cut. */
  enum Ending {
    SETTLED,
    DELETED
  }

  private final boolean isOfSession;
  private final boolean withSegments;
  private final Queue<WatchItem> items = new ArrayDeque<>();

  /** Behind the last item in hand. */
  private WatchPosition position;

  private boolean mustLook = true;
  private boolean lookedInVain;
  private @Nullable Ending ending;

  WatchProgress(WatchTarget target, boolean withSegments, WatchPosition start) {
    this.isOfSession = target instanceof WatchTarget.OfSession;
    this.withSegments = withSegments;
    this.position = start;
  }

  /** The next one to be told; null: nothing is in hand. */
  @Nullable WatchItem next() {
    return items.poll();
  }

  /** With nothing in hand: where the watch stands. */
  WatchPosition position() {
    return position;
  }

  /** How it ends here, with nothing in hand; null: it goes on. */
  @Nullable Ending ending() {
    return ending;
  }

  /** With nothing in hand: there may be more. */
  boolean mustLook() {
    return mustLook;
  }

  /** The last look did not help: another one at once would not either. */
  boolean lookedInVain() {
    return lookedInVain;
  }

  /** Something happened. */
  void lookAgain() {
    mustLook = true;
  }

  /** Where what came along is not enough, the next thing is a look. */
  void wentOn(StreamStretch stretch) {
    mustLook = walk(WatchFound.More.of(stretch));
  }

  /**
   * Takes what a look found behind the position.
   *
   * @throws CorruptExtent the next segment is not what was written
   */
  void found(WatchFound found) {
    boolean wasInVain = lookedInVain;
    lookedInVain = false;
    if (found instanceof WatchFound.More more) {
      WatchPosition before = position;
      mustLook = walk(more);
      lookedInVain = mustLook && before.equals(position);
      if (lookedInVain && wasInVain) {
        requireSegment(more, before.stream());
      }
    } else if (found instanceof WatchFound.Elsewhere elsewhere) {
      position = elsewhere.position();
    } else if (found instanceof WatchFound.Gone) {
      ending = Ending.DELETED;
    } else {
      mustLook = false;
    }
  }

  /** Answers whether another look is needed. */
  private boolean walk(WatchFound.More more) {
    WatchWalk.Walked walked =
        WatchWalk.walk(position, position.requireSubmission(), more, withSegments);
    items.addAll(walked.items());
    position = walked.position();
    if (walked.then() != WatchWalk.Then.END) {
      return walked.then() == WatchWalk.Then.LOOK;
    }
    if (isOfSession) {
      position = position.behindSubmission();
      return true;
    }
    ending = Ending.SETTLED;
    return false;
  }

  /** A look may fall into a deletion, which the next one sees. What is missing then is lost. */
  private static void requireSegment(WatchFound.More more, StretchRows.@Nullable Place place) {
    if (place != null && more.lacksSegmentOf(place)) {
      throw new CorruptExtent(place.key().key(), place.nextIndex());
    }
  }

  /** Lets go of what is in hand. */
  void close() {
    items.clear();
  }
}
