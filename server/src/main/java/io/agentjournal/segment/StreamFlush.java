package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import io.agentjournal.segment.Batch.Origin;
import io.agentjournal.segment.Flush.FlushedStream;
import io.agentjournal.segment.StreamWriter.ByAttempt;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One stream in one flush: its batches, what was decided about them, and what follows for its rows.
 */
final class StreamFlush {
  private final StreamKey key;
  private final Head locked;
  private final HeadDecision decision;
  private final List<Batch> batches = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private final IdentityHashMap<Origin, RuntimeException> refused = new IdentityHashMap<>();
  private boolean exists;
  private @Nullable Batch opening;
  private @Nullable Head created;

  StreamFlush(StreamKey key, Head locked, boolean exists, long maxStreamBytes) {
    this.key = key;
    this.locked = locked;
    this.exists = exists;
    this.decision = new HeadDecision(key, locked, maxStreamBytes);
  }

  /**
   * Batches of a call that come behind a refused one are refused with it: nothing after it is
   * stored.
   */
  void judge(Batch batch, @Nullable PackedSegments stored) {
    RuntimeException earlier = refused.get(batch.origin());
    Outcome outcome;
    if (earlier != null) {
      outcome = Outcome.refused(decision.head(), earlier);
    } else if (!exists && batch.writer() instanceof ByAttempt) {
      outcome = Outcome.refused(null, new StreamNotFound(key.key()));
    } else {
      outcome = decision.judge(batch, stored);
    }
    add(batch, outcome);
  }

  /** It cannot be judged. */
  void refuse(Batch batch, RuntimeException reason) {
    RuntimeException earlier = refused.get(batch.origin());
    add(batch, Outcome.refused(decision.head(), earlier == null ? reason : earlier));
  }

  private void add(Batch batch, Outcome outcome) {
    batches.add(batch);
    outcomes.add(outcome);
    if (opening == null && (outcome.refusal() == null || outcome.appended() > 0)) {
      opening = batch;
    }
    if (outcome.refusal() != null) {
      refused.put(batch.origin(), outcome.refusal());
    }
  }

  StreamKey key() {
    return key;
  }

  List<Batch> batches() {
    return batches;
  }

  /** Opened by the first batch that was accepted, or whose first segments were. */
  boolean isToBeCreated() {
    return !exists && opening != null;
  }

  /** Of the batch that opens the stream, before which others may have been refused. */
  String contentType() {
    return Objects.requireNonNull(opening, "a stream that is not to be created").contentType();
  }

  void created(Head head) {
    created = head;
    exists = true;
  }

  Head head() {
    return created == null ? decision.head() : created;
  }

  boolean advances() {
    return created == null && exists && head().nextIndex() > locked.nextIndex();
  }

  boolean changesStateOrEpoch() {
    return created == null && exists && (ends() || decision.raisesEpoch());
  }

  boolean ends() {
    return head().state() != locked.state();
  }

  boolean raisesEpoch() {
    return created == null && exists && decision.raisesEpoch();
  }

  List<Extent> extents() {
    return exists ? decision.extents(head().streamId()) : List.of();
  }

  FlushedStream flushed() {
    boolean changed = exists && (created != null || decision.isChanged());
    List<Outcome> told =
        created == null ? outcomes : outcomes.stream().map(this::ofCreated).toList();
    return new FlushedStream(key, batches, told, head(), exists, changed, extents());
  }

  /** The decision was made before the stream had an id. */
  private Outcome ofCreated(Outcome outcome) {
    Head head = outcome.head();
    return head == null
        ? outcome
        : new Outcome(
            head.withStreamId(head().streamId()),
            outcome.appended(),
            outcome.duplicates(),
            outcome.refusal());
  }
}
