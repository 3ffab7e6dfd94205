package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.SegmentConflict;
import io.agentjournal.refusal.Refusal.SegmentGap;
import io.agentjournal.refusal.Refusal.SegmentsMissing;
import io.agentjournal.refusal.Refusal.StreamEnded;
import io.agentjournal.refusal.Refusal.TooLarge;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges the batches of one flush against the head of their stream, which is locked: what they add,
 * repeat, or may not do. Changes nothing itself; what is to be written is asked of it afterwards.
 * Not thread-safe.
 *
 * <p>For each batch, in this order:
 *
 * <ol>
 *   <li>the writer: stale attempt, lower epoch;
 *   <li>segments below the next index: equal is a duplicate, another payload a conflict;
 *   <li>segments from there on: refused when the stream has ended, a gap above the next index, else
 *       appended;
 *   <li>the end: refused while expected segments are missing.
 * </ol>
 */
final class HeadDecision {
  private final StreamKey key;
  private final Head before;
  private final long maxStreamBytes;
  private final List<PackedSegments> added = new ArrayList<>();
  private Head head;

  HeadDecision(StreamKey key, Head locked, long maxStreamBytes) {
    this.key = key;
    this.before = locked;
    this.head = locked;
    this.maxStreamBytes = maxStreamBytes;
  }

  /** The head of a stream that does not exist yet. */
  static Head unopened() {
    return new Head(0, StreamState.OPEN, 0, 0, null, null, false, null, null, null, null);
  }

  /**
   * Judges the next batch.
   *
   * @param stored the stored segments from the batch's first index on, up to the locked head's next
   *     index or the batch's own end; null when the batch begins at or above the locked head's next
   *     index
   */
  Outcome judge(Batch batch, @Nullable PackedSegments stored) {
    int appended = 0;
    int duplicates = 0;
    try {
      head = WriterFence.admit(key, head, batch.writer());
      if (batch.segments().count() > 0) {
        duplicates = duplicates(batch, stored);
        appended = append(batch, duplicates);
      }
      if (batch.ending() != null) {
        end(batch.ending());
      }
      return new Outcome(head, appended, duplicates, null);
    } catch (Refusal refusal) {
      return new Outcome(head, appended, duplicates, refusal);
    }
  }

  /**
   * Judges an end that comes without segments: the head as it then is, or the refusal is thrown.
   */
  Head seal(StreamWriter writer, StreamEnding ending) {
    head = WriterFence.admit(key, head, writer);
    end(ending);
    return head;
  }

  private int duplicates(Batch batch, @Nullable PackedSegments stored) {
    long overlap = Math.min(head.nextIndex() - batch.firstIndex(), batch.segments().count());
    if (overlap <= 0) {
      return 0;
    }
    int equal = batch.segments().equalPrefix(storedAndAdded(batch, stored), (int) overlap);
    if (equal < overlap) {
      throw new SegmentConflict(key.key(), batch.firstIndex() + equal, head.nextIndex());
    }
    return equal;
  }

  /**
   * What is stored from the batch's first index on, and what earlier batches of this flush add to
   * it.
   */
  private PackedSegments storedAndAdded(Batch batch, @Nullable PackedSegments stored) {
    ByteArrayOutputStream known = new ByteArrayOutputStream();
    if (stored != null) {
      known.writeBytes(stored.data());
    }
    int skipped = (int) Math.max(0, batch.firstIndex() - before.nextIndex());
    for (PackedSegments segments : added) {
      int skip = Math.min(skipped, segments.count());
      skipped -= skip;
      known.writeBytes(segments.dropFirst(skip).data());
    }
    return PackedSegments.of(known.toByteArray());
  }

  private int append(Batch batch, int duplicates) {
    PackedSegments fresh = batch.segments().dropFirst(duplicates);
    if (fresh.count() == 0) {
      return 0;
    }
    if (head.state() != StreamState.OPEN) {
      throw ended();
    }
    if (batch.firstIndex() > head.nextIndex()) {
      throw new SegmentGap(key.key(), head.nextIndex(), batch.firstIndex());
    }
    long sizeBytes = head.sizeBytes() + fresh.payloadBytes();
    if (sizeBytes > maxStreamBytes) {
      throw new TooLarge("stream", sizeBytes, maxStreamBytes);
    }
    added.add(fresh);
    head = head.advanced(head.nextIndex() + fresh.count(), sizeBytes);
    return fresh.count();
  }

  private void end(StreamEnding ending) {
    if (ending.expectedNextIndex() != null && ending.expectedNextIndex() != head.nextIndex()) {
      throw new SegmentsMissing(key.key(), ending.expectedNextIndex(), head.nextIndex());
    }
    if (head.state() == StreamState.OPEN) {
      head = head.ended(ending);
    } else if (!ending.isAlreadyEndOf(head)) {
      throw ended();
    }
  }

  private StreamEnded ended() {
    return new StreamEnded(key.key(), head.state().name(), head.nextIndex(), head.finishReason());
  }

  boolean isChanged() {
    return !head.equals(before);
  }

  /** From then on writers with a lower epoch, or with none, are shut out. */
  boolean raisesEpoch() {
    return !Objects.equals(before.writerEpoch(), head.writerEpoch());
  }

  Head head() {
    return head;
  }

  /** What is to be stored, in rows of bounded size. */
  List<Extent> extents(long streamId) {
    return ExtentPacking.pack(streamId, before.nextIndex(), added, Extent.MAX_BYTES);
  }
}
