package io.agentjournal.recovery;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.Outcome;
import io.agentjournal.submission.Settlement;
import io.agentjournal.submission.Standing;
import io.agentjournal.submission.Submission;
import io.agentjournal.submission.SubmissionStores;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the reconciler finds and does, each submission in a transaction of its own. Thread-safe. */
public final class ReconcileStore {
  private final Transactions transactions;
  private final SubmissionStores submissions;
  private final SessionRows sessions;
  private final SlotRows slots;
  private final SpentRows spent = new SpentRows();

  public ReconcileStore(
      Transactions transactions,
      SubmissionStores submissions,
      SessionRows sessions,
      SlotRows slots) {
    this.transactions = transactions;
    this.submissions = submissions;
    this.sessions = sessions;
    this.slots = slots;
  }

  /** Some of those that may have to be settled. */
  List<SubmissionId> candidates(int limit) {
    return transactions.readOnly("find_spent", connection -> spent.list(connection, limit));
  }

  /** Settles the submission if its plan, for somebody who does not hold it, says so. */
  boolean settle(SubmissionId id) {
    return transactions.run("settle_spent", connection -> settle(connection, id));
  }

  private boolean settle(Connection connection, SubmissionId id) throws SQLException {
    Submission found = submissions.submissions().find(connection, id);
    if (found == null || sessions.lockIfPresent(connection, found.session()) == null) {
      return false;
    }
    Standing standing = submissions.rows().lockForUpdate(connection, id);
    Submission locked = submissions.submissions().require(connection, id);
    Slot slot = slots.lock(connection, id);
    TurnJournal journal = slot == null ? null : slots.withCalls(connection, slot);
    Settlement settlement =
        settlement(submissions.plans().plan(connection, locked, journal, null), locked);
    if (settlement == null) {
      return false;
    }
    submissions.settlements().settleLocked(connection, standing, slot, settlement, null);
    return true;
  }

  private static @Nullable Settlement settlement(RecoveryPlan plan, Submission submission) {
    return switch (plan.action()) {
      case SETTLE_COMPLETED -> new Settlement(Outcome.COMPLETED, Payload.NONE, null, null);
      case SETTLE_ABORTED -> {
        Submission.AbortRequest abort = submission.abort();
        yield Settlement.without(Outcome.ABORTED, "aborted", abort == null ? "" : abort.reason());
      }
      case SETTLE_FAILED -> Settlement.without(Outcome.FAILED, "budget_spent", plan.because());
      case NOTHING,
          APPLY_INPUT,
          BEGIN_TURN,
          CALL_MODEL,
          REPLAY_STREAM,
          CONTINUE_STREAM,
          CALL_MODEL_AGAIN,
          FINISH_TOOLS ->
          null;
    };
  }
}
