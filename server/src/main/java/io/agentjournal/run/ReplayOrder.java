package io.agentjournal.run;

import io.agentjournal.refusal.Refusal.ReplayMismatch;
import io.agentjournal.run.ExpectedOrder.Step;

/** Compares what is recorded, one event after the other, with what is expected. For one pass. */
final class ReplayOrder {
  private final ExpectedOrder expected;
  private int position;

  ReplayOrder(ExpectedOrder expected) {
    this.expected = expected;
  }

  void found(EventKey event) {
    Step found = new Step(expected.comparesSeq() ? event.seq() : null, event.kind());
    if (position == expected.steps().size()) {
      throw new ReplayMismatch(position, null, found.toString());
    }
    Step wanted = expected.steps().get(position);
    if (!wanted.equals(found)) {
      throw new ReplayMismatch(position, wanted.toString(), found.toString());
    }
    position++;
  }

  void ended() {
    if (position < expected.steps().size()) {
      throw new ReplayMismatch(position, expected.steps().get(position).toString(), null);
    }
  }
}
