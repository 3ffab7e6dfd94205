package io.agentjournal.submission;

import io.agentjournal.plan.Budget;
import io.agentjournal.plan.Situation;
import io.agentjournal.plan.Turn;
import io.agentjournal.segment.Head;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.slot.TurnJournal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts together what a plan depends on. */
final class Situations {
  private Situations() {}

  /**
   * A submission as one who asks finds it.
   *
   * @param journal null: no turn was begun
   * @param head of the slot's stream; null: it names none, or the stream has gone
   * @param attemptId who asks; null: somebody who does not hold it
   * @param isLeaseIgnored as if the lease had ended now
   */
  static Situation of(
      Submission submission,
      @Nullable TurnJournal journal,
      @Nullable Head head,
      @Nullable String attemptId,
      boolean isLeaseIgnored) {
    boolean isHeld = submission.lease() != null && !isLeaseIgnored;
    boolean isHolder = isHeld && submission.isHeldBy(attemptId);
    return new Situation(
        submission.settled() != null,
        isHeld && !isHolder && !submission.isRecoverable(),
        submission.abort() != null,
        budget(submission, isHolder),
        submission.status() != SubmissionStatus.RUNNING && !submission.isRunnable(),
        submission.inputAppliedAt() != null,
        journal == null ? null : turn(journal, head));
  }

  /** Its holder has an attempt; and one that waited goes on without a further one. */
  private static Budget budget(Submission submission, boolean isHolder) {
    Submission.Budget budget = submission.budget();
    boolean needsAttempt = !isHolder && submission.status() != SubmissionStatus.WAITING;
    int attemptsNeeded = budget.attemptCount() + submission.nextAttemptCost();
    if (needsAttempt && attemptsNeeded > budget.maxAttempts()) {
      return Budget.ATTEMPTS_SPENT;
    }
    return budget.isTimeSpent() ? Budget.TIME_SPENT : Budget.LEFT;
  }

  private static Turn turn(TurnJournal journal, @Nullable Head head) {
    Slot slot = journal.slot();
    TurnFacts turn = slot.turn();
    return switch (slot.phase()) {
      case BEFORE_PROVIDER -> new Turn.BeforeProvider();
      case PROVIDER_STARTED -> providerStarted(turn, head);
      case TOOL_REQUEST_RECORDED -> {
        TurnFacts.Requested requested = turn.requested();
        yield new Turn.ToolRequestRecorded(
            calls(journal.calls()), requested == null ? null : requested.requestLeafId());
      }
      case COMMITTED -> {
        TurnFacts.Committed committed = turn.committed();
        yield new Turn.Committed(
            committed != null && committed.isFinal(),
            committed == null ? null : committed.leafId());
      }
    };
  }

  private static Turn providerStarted(TurnFacts turn, @Nullable Head head) {
    TurnFacts.Started started = turn.started();
    if (started == null) {
      throw new IllegalStateException("provider_started without a stream: " + turn.turnId());
    }
    return new Turn.ProviderStarted(
        started.streamKey(),
        head == null ? Turn.Response.GONE : response(head),
        head == null ? 0 : head.nextIndex(),
        turn.consumedAt() != null);
  }

  private static Turn.Response response(Head head) {
    return switch (head.state()) {
      case OPEN -> Turn.Response.OPEN;
      case COMPLETE -> Turn.Response.COMPLETE;
      case FAILED, SUPERSEDED -> Turn.Response.FAILED;
      case DELETED -> Turn.Response.GONE;
    };
  }

  private static List<Turn.Call> calls(List<ToolCall> calls) {
    return calls.stream()
        .map(
            call ->
                new Turn.Call(
                    call.toolCallId(),
                    call.name(),
                    Turn.Progress.valueOf(call.state().name()),
                    call.restartSafe()))
        .toList();
  }
}
