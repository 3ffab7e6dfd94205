package io.agentjournal.turn;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.refusal.Refusal.TurnNotFound;
import io.agentjournal.slot.EarlierTurnRows;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.slot.ToolCallRows;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.SubmissionRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads turns, inside a caller's transaction. Stateless and thread-safe. */
final class TurnStore {
  private final SubmissionRows submissions;
  private final SlotRows slots;
  private final EarlierTurnRows earlierTurns = new EarlierTurnRows();
  private final ToolCallRows calls = new ToolCallRows();

  TurnStore(SubmissionRows submissions, SlotRows slots) {
    this.submissions = submissions;
    this.slots = slots;
  }

  /**
   * The slot with its calls.
   *
   * @throws SubmissionNotFound there is no such submission
   * @throws TurnNotFound no turn was begun
   */
  TurnJournal journal(Connection connection, SubmissionId submission) throws SQLException {
    submissions.sessionOf(connection, submission);
    TurnJournal journal = slots.journal(connection, submission);
    if (journal == null) {
      throw new TurnNotFound("");
    }
    return journal;
  }

  /**
   * The first so many turns above a revision, oldest first, the slot's being the last of all.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  List<TurnFacts> list(
      Connection connection, SubmissionId submission, long aboveRevision, int limit)
      throws SQLException {
    submissions.sessionOf(connection, submission);
    // The slot first: a turn that is begun in between is then missing from both, not a turn before
    // it.
    Slot slot = slots.find(connection, submission);
    if (slot == null) {
      return List.of();
    }
    long current = slot.turn().revision();
    List<TurnFacts> turns = new ArrayList<>();
    for (TurnFacts turn : earlierTurns.list(connection, submission, aboveRevision, limit)) {
      if (turn.revision() < current) {
        turns.add(turn);
      }
    }
    if (turns.size() < limit && current > aboveRevision) {
      turns.add(slot.turn());
    }
    return turns;
  }

  /**
   * The calls of a turn with all their arguments.
   *
   * @param turnId empty: the slot's turn
   * @throws SubmissionNotFound there is no such submission
   * @throws TurnNotFound there is no such turn
   */
  List<ToolCall> calls(Connection connection, SubmissionId submission, String turnId)
      throws SQLException {
    submissions.sessionOf(connection, submission);
    Slot slot = slots.find(connection, submission);
    if (slot == null) {
      throw new TurnNotFound(turnId);
    }
    String current = slot.turn().turnId();
    String wanted = turnId.isEmpty() ? current : turnId;
    if (!wanted.equals(current) && earlierTurns.find(connection, submission, wanted) == null) {
      throw new TurnNotFound(wanted);
    }
    return calls.list(connection, submission, wanted, ToolRequest.MAX_ARGUMENT_BYTES);
  }
}
