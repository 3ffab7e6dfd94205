package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Which followed streams are looked at in a tick. Up to {@link #SILENT_PER_TICK} all of them are,
 * so that a token after a long pause is found by the next tick; of more silent streams, each tick
 * looks at a part, and the cost stays what it is. Not thread-safe.
 */
final class LookSchedule {
  /** Looking at so many costs the database about a millisecond. */
  static final int SILENT_PER_TICK = 1_000;

  /** Of streams that were written a moment ago and will be again. */
  static final int LIVELY_PER_TICK = 4_000;

  private static final long LIVELY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private int silentCount;
  private int livelyCount;
  private long tick;

  List<FollowedStream> due(Collection<FollowedStream> followed) {
    tick++;
    int silentParts = parts(silentCount, SILENT_PER_TICK);
    int livelyParts = parts(livelyCount, LIVELY_PER_TICK);
    silentCount = 0;
    livelyCount = 0;
    List<FollowedStream> due = new ArrayList<>();
    for (FollowedStream stream : followed) {
      if (!stream.mayHaveNews()) {
        continue;
      }
      boolean lively = stream.silentNanos() < LIVELY_NANOS;
      if (lively) {
        livelyCount++;
      } else {
        silentCount++;
      }
      if (isTurn(stream.streamId(), lively ? livelyParts : silentParts)) {
        due.add(stream);
      }
    }
    return due;
  }

  /** Which of the awaited keys to look for in the tick of the last {@link #due}. */
  List<StreamKey> due(List<StreamKey> awaited) {
    int parts = parts(awaited.size(), SILENT_PER_TICK);
    return awaited.stream().filter(key -> isTurn(key.hashCode(), parts)).toList();
  }

  private boolean isTurn(long number, int parts) {
    return Math.floorMod(number + tick, parts) == 0;
  }

  private static int parts(int count, int perTick) {
    return 1 + count / perTick;
  }
}
