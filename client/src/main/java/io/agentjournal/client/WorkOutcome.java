package io.agentjournal.client;

import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.Settlement;
import java.time.Duration;

/** What is to become of a submission when its handler has ended. */
public sealed interface WorkOutcome {

  /** The handler has settled or suspended it by itself, for example when it committed the turn. */
  static WorkOutcome done() {
    return new Done();
  }

  /** Settles it in the name of the attempt. */
  static WorkOutcome settle(Settlement settlement) {
    return new Settle(settlement);
  }

  /** Settles it COMPLETED; refused while a turn is begun and not committed. */
  static WorkOutcome completed(Payload result) {
    return settle(
        Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED).setResult(result).build());
  }

  /**
   * Settles it FAILED.
   *
   * @param code for programs, at most 512 bytes
   * @param message for people, at most 16 KiB
   */
  static WorkOutcome failed(String code, String message) {
    return settle(
        Settlement.newBuilder()
            .setOutcome(Outcome.OUTCOME_FAILED)
            .setFailure(Failure.newBuilder().setCode(code).setMessage(message))
            .build());
  }

  /** Back to the queue; only while its input is not applied. Costs no attempt. */
  static WorkOutcome requeue(Duration delay, String reason) {
    return new Requeue(delay, reason);
  }

  /**
   * Another one, or this worker again, takes over after the delay, where it stands. Costs no
   * attempt, so that only the submission's timeout ends what always hands over.
   */
  static WorkOutcome handOver(Duration delay, String reason) {
    return new HandOver(delay, reason);
  }

  /**
   * Nothing is written. Its lease runs out, then somebody takes over where it stands. Costs an
   * attempt, so that the server settles FAILED what always ends so.
   */
  static WorkOutcome letGo() {
    return new LetGo();
  }

  record Done() implements WorkOutcome {}

  record Settle(Settlement settlement) implements WorkOutcome {}

  record Requeue(Duration delay, String reason) implements WorkOutcome {
    public Requeue {
      requireNotNegative(delay);
    }
  }

  record HandOver(Duration delay, String reason) implements WorkOutcome {
    public HandOver {
      requireNotNegative(delay);
    }
  }

  record LetGo() implements WorkOutcome {}

  private static void requireNotNegative(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay is " + delay);
    }
  }
}
