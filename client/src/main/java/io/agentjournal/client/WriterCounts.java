package io.agentjournal.client;

/** Counts for one connection: written by its tasks only, read by any thread. */
final class WriterCounts {
  private volatile WriterCounters counters = new WriterCounters(0, 0, 0, 0, 0, 0);
  private long sentBelow;

  WriterCounters snapshot() {
    return counters;
  }

  void call() {
    add(1, 0, 0, 0, 0, 0);
  }

  void sent(Outbox.Batch<OutgoingSegment> batch, long openNextIndex) {
    long again = overlap(batch, sentBelow);
    long againBelow = overlap(batch, Math.min(sentBelow, openNextIndex));
    add(0, 1, batch.items().size(), again, againBelow, 0);
    sentBelow = Math.max(sentBelow, batch.next());
  }

  void duplicates(long more) {
    add(0, 0, 0, 0, 0, more);
  }

  private static long overlap(Outbox.Batch<OutgoingSegment> batch, long below) {
    return Math.max(0, Math.min(batch.next(), below) - batch.first());
  }

  private void add(
      long calls, long messages, long segments, long again, long againBelow, long duplicates) {
    WriterCounters was = counters;
    counters =
        new WriterCounters(
            was.calls() + calls,
            was.messages() + messages,
            was.segments() + segments,
            was.resentSegments() + again,
            was.resentBelowNextIndex() + againBelow,
            was.duplicates() + duplicates);
  }
}
