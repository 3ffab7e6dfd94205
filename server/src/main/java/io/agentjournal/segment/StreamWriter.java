package io.agentjournal.segment;

import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal.InvalidField;

/** By what right somebody writes a stream. */
sealed interface StreamWriter {
  /** Of a bound stream. */
  record ByAttempt(AttemptId attempt) implements StreamWriter {}

  /** Of a stand-alone stream that is fenced by number. */
  record ByEpoch(long epoch) implements StreamWriter {
    public ByEpoch {
      if (epoch < 0) {
        throw InvalidField.ofValue("writer_epoch", Long.toString(epoch), "negative");
      }
    }
  }

  /** Of a stand-alone stream that nobody fenced. */
  record Unnamed() implements StreamWriter {}
}
