package io.agentjournal.recovery;

import io.agentjournal.plan.PlanMessages;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.submission.Claimed;
import io.agentjournal.submission.SubmissionMessages;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.TakeOverResponse;

/** Answers about recovery as messages. */
final class RecoveryMessages {
  private RecoveryMessages() {}

  static PlanRecoveryResponse planned(Planned planned) {
    PlanRecoveryResponse.Builder message =
        PlanRecoveryResponse.newBuilder()
            .setPlan(PlanMessages.from(planned.plan()))
            .setPlanWithoutLease(PlanMessages.from(planned.withoutLease()));
    if (planned.journal() != null) {
      message.setJournal(SlotMessages.from(planned.journal()));
    }
    return message
        .setSubmission(SubmissionMessages.from(planned.submission(), message.build()))
        .build();
  }

  static io.agentjournal.v1.Recoverable recoverable(Recoverable recoverable) {
    return io.agentjournal.v1.Recoverable.newBuilder()
        .setSubmission(SubmissionMessages.from(recoverable.submission()))
        .setPlan(PlanMessages.from(recoverable.plan()))
        .build();
  }

  static TakeOverResponse takenOver(Claimed claimed) {
    TakeOverResponse.Builder message =
        TakeOverResponse.newBuilder()
            .setApplied(claimed.applied())
            .setPlan(PlanMessages.from(claimed.plan()));
    if (claimed.journal() != null) {
      message.setJournal(SlotMessages.from(claimed.journal()));
    }
    return message
        .setSubmission(SubmissionMessages.from(claimed.submission(), message.build()))
        .build();
  }
}
