package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.StaleEpoch;
import io.agentjournal.refusal.Refusal.StreamDeleted;
import io.agentjournal.refusal.Refusal.StreamNotBound;
import io.agentjournal.segment.StreamWriter.ByAttempt;
import io.agentjournal.segment.StreamWriter.ByEpoch;
import org.jspecify.annotations.Nullable;

/** Who may write a stream: the rule that appends, seals and open calls share. */
final class WriterFence {
  private WriterFence() {}

  /**
   * Lets the writer in, or refuses it.
   *
   * @return the head as it is with this writer: a higher epoch takes the stream over
   */
  static Head admit(StreamKey key, Head head, StreamWriter writer) {
    if (head.state() == StreamState.DELETED) {
      throw new StreamDeleted(key.key());
    }
    if (head.isBound()) {
      requireAttempt(head, writer);
      return head;
    }
    if (writer instanceof ByAttempt) {
      throw new StreamNotBound(key.key());
    }
    Long epoch = writer instanceof ByEpoch named ? (Long) named.epoch() : null;
    return requireEpoch(key, head, epoch);
  }

  private static void requireAttempt(Head head, StreamWriter writer) {
    if (!(writer instanceof ByAttempt named)) {
      throw new StaleAttempt(String.valueOf(head.submissionId()), null, head.attemptId(), null);
    }
    if (!head.isWrittenBy(named.attempt())) {
      throw new StaleAttempt(
          named.attempt().submission().id(), named.attempt().id(), head.attemptId(), null);
    }
  }

  private static Head requireEpoch(StreamKey key, Head head, @Nullable Long epoch) {
    Long current = head.writerEpoch();
    if (current == null) {
      return epoch == null ? head : head.withWriterEpoch(epoch);
    }
    if (epoch == null || epoch < current) {
      throw new StaleEpoch(key.key(), epoch, current);
    }
    return epoch.equals(current) ? head : head.withWriterEpoch(epoch);
  }
}
