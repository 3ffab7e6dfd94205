package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.TurnCommitted;
import io.agentjournal.refusal.Refusal.TurnNotFound;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Standing;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a call about a turn is judged by, as it stands under the locks of submission and slot.
 *
 * @param attempt who calls
 * @param turnId the turn that the call names
 * @param slot null: no turn was begun
 * @param turn the named turn, in the slot or before it; null: there is none
 */
record LockedTurn(
    AttemptId attempt,
    String turnId,
    Standing submission,
    @Nullable Slot slot,
    @Nullable TurnFacts turn) {
  /** What callers are told of the phase of a turn after which another was begun. */
  static final String SUPERSEDED = "superseded";

  /**
   * Passes when the attempt holds the submission and the named turn is the slot's.
   *
   * @throws StaleAttempt among the other refusals of the fence
   * @throws TurnNotFound there is no such turn
   * @throws TurnCommitted it was committed, and another was begun after it
   * @throws IllegalPhase another was begun after it
   */
  Slot requireCurrent(Phase... wanted) {
    submission.requireHeldBy(attempt);
    if (slot == null || turn == null) {
      throw new TurnNotFound(turnId);
    }
    if (slot.turn().turnId().equals(turnId)) {
      return slot;
    }
    throw refusalIn(turn, SUPERSEDED, wanted);
  }

  /**
   * As {@link #requireCurrent}, and the slot is in one of the phases.
   *
   * @throws TurnCommitted the turn is committed
   * @throws IllegalPhase it is in another phase
   */
  Slot require(Phase... wanted) {
    Slot current = requireCurrent(wanted);
    if (!Arrays.asList(wanted).contains(current.phase())) {
      throw refusalIn(current.turn(), current.phase().stored(), wanted);
    }
    return current;
  }

  private static RuntimeException refusalIn(TurnFacts turn, String phase, Phase... wanted) {
    TurnFacts.Committed committed = turn.committed();
    if (committed != null) {
      return new TurnCommitted(turn.turnId(), committed.leafId());
    }
    return new IllegalPhase(
        phase, Arrays.stream(wanted).map(Phase::stored).collect(Collectors.joining(" or ")));
  }
}
