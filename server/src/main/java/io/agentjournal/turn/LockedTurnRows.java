package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.slot.EarlierTurnRows;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Standing;
import io.agentjournal.submission.SubmissionRows;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Locks what every call about a turn is judged by: the submission, then the slot. A session is
 * locked before.
 */
final class LockedTurnRows {
  private final SubmissionRows submissions;
  private final SlotRows slots;
  private final EarlierTurnRows earlierTurns = new EarlierTurnRows();

  LockedTurnRows(SubmissionRows submissions, SlotRows slots) {
    this.submissions = submissions;
    this.slots = slots;
  }

  /**
   * For calls that leave the submission's row as it is: others may write in its attempt's name
   * meanwhile.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  LockedTurn lock(Connection connection, AttemptId attempt, String turnId) throws SQLException {
    Standing standing = submissions.lockForShare(connection, attempt.submission());
    return lockSlot(connection, attempt, turnId, standing);
  }

  /** For calls that also change the submission's row. */
  LockedTurn lockWithSubmission(Connection connection, AttemptId attempt, String turnId)
      throws SQLException {
    Standing standing = submissions.lockForUpdate(connection, attempt.submission());
    return lockSlot(connection, attempt, turnId, standing);
  }

  private LockedTurn lockSlot(
      Connection connection, AttemptId attempt, String turnId, Standing standing)
      throws SQLException {
    Slot slot = slots.lock(connection, attempt.submission());
    return new LockedTurn(attempt, turnId, standing, slot, turn(connection, attempt, turnId, slot));
  }

  private @Nullable TurnFacts turn(
      Connection connection, AttemptId attempt, String turnId, @Nullable Slot slot)
      throws SQLException {
    if (slot == null) {
      return null;
    }
    return slot.turn().turnId().equals(turnId)
        ? slot.turn()
        : earlierTurns.find(connection, attempt.submission(), turnId);
  }
}
