package io.agentjournal.run;

import io.agentjournal.refusal.Refusal.InvalidField;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a caller expects to be recorded: by seq and kind in every step, or by kind only in all. */
record ExpectedOrder(List<Step> steps) {

  /**
   * One event.
   *
   * @param seq null: only kinds are compared
   */
  record Step(@Nullable Long seq, EventKind kind) {
    @Override
    public String toString() {
      return seq == null ? kind.word() : seq + ":" + kind.word();
    }
  }

  ExpectedOrder {
    steps = List.copyOf(steps);
    long withSeq = steps.stream().filter(step -> step.seq() != null).count();
    if (withSeq != 0 && withSeq != steps.size()) {
      throw InvalidField.because("expected", "seq in some steps and not in others");
    }
  }

  boolean comparesSeq() {
    return !steps.isEmpty() && steps.get(0).seq() != null;
  }
}
