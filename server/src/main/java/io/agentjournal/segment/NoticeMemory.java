package io.agentjournal.segment;

import io.agentjournal.segment.WatchStore.Notice;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which notices are news. They are read again and again over a window of time, because a notice
 * becomes visible only with its transaction's commit, which may come seconds after the time that
 * the notice bears. Not thread-safe.
 */
final class NoticeMemory {
  /** Longer than a transaction can live: it waits for locks and idles within bounds. */
  private static final Duration WHOLE_WINDOW = Duration.ofSeconds(15);

  /** Covers all but transactions that had to wait for more than one lock. */
  private static final Duration RECENT_WINDOW = Duration.ofSeconds(2);

  /** Where the whole window holds more notices than this, it is read only every so many ticks. */
  private static final int MANY = 1_000;

  private static final int TICKS_BETWEEN_WHOLE_WINDOWS = 8;

  private Set<Long> seen = new HashSet<>();
  private boolean many;
  private boolean whole;
  private long tick;

  /** How far back to look this time. */
  Duration nextWindow() {
    whole = !many || tick % TICKS_BETWEEN_WHOLE_WINDOWS == 0;
    tick++;
    return whole ? WHOLE_WINDOW : RECENT_WINDOW;
  }

  /** The streams of those notices that were not there before. */
  Set<Long> newlyNoticed(List<Notice> notices) {
    Set<Long> streamIds = new HashSet<>();
    Set<Long> found = new HashSet<>();
    for (Notice notice : notices) {
      found.add(notice.noticeId());
      if (!seen.contains(notice.noticeId())) {
        streamIds.add(notice.streamId());
      }
    }
    if (whole) {
      many = notices.size() > MANY;
      seen = found;
    } else {
      seen.addAll(found);
    }
    return streamIds;
  }
}
