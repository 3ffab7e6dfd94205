package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.TurnJournal;
import io.grpc.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A submission in the hands of a worker: as it was when it was claimed, and whether it still is in
 * its hands. Thread-safe; no method blocks.
 */
public final class ClaimedSubmission {
  private final AttemptRef attempt;
  private final ClaimNextSubmissionResponse claim;
  private final HeldLease lease;
  private volatile @Nullable JournalException lost;
  private volatile @Nullable String abortReason;

  ClaimedSubmission(AttemptRef attempt, ClaimNextSubmissionResponse claim, HeldLease lease) {
    this.attempt = attempt;
    this.claim = claim;
    this.lease = lease;
  }

  /** The write token: names submission and attempt in every write. */
  public AttemptRef attempt() {
    return attempt;
  }

  public Submission submission() {
    return claim.getSubmission();
  }

  /** How far its turn got; null: none was begun. */
  public @Nullable TurnJournal journal() {
    return claim.hasJournal() ? claim.getJournal() : null;
  }

  /** What is to be done next. */
  public RecoveryPlan plan() {
    return claim.getPlan();
  }

  /** Somebody asks to stop; the handler's thread was interrupted. */
  public boolean abortRequested() {
    return abortReason != null;
  }

  /** What is left of the lease, by this machine's own clock; rather too little than too much. */
  public Duration leaseLeft() {
    return lost == null ? lease.left() : Duration.ZERO;
  }

  /**
   * To be called right before something that cannot be taken back and that the journal does not
   * see, such as asking the model: a process that was asleep learns there that it is not to.
   *
   * @throws JournalException it was lost, or its lease has run out by this machine's clock
   */
  public void requireHeld() {
    JournalException why = lost;
    if (why != null) {
      throw why;
    }
    if (lease.isOver()) {
      throw ranOut();
    }
  }

  /** Perhaps before the keeper has told of it. */
  private static JournalException ranOut() {
    return JournalException.of(
        CallFailure.of(Status.DEADLINE_EXCEEDED.withDescription("the lease has run out")));
  }

  /** Of a handler that threw: when its lease is over by now, that is why. */
  void loseIfOver() {
    if (lost == null && lease.isOver()) {
      lost = ranOut();
    }
  }

  void lose(JournalException why) {
    lost = why;
  }

  @Nullable JournalException whyLost() {
    return lost;
  }

  void abort(String reason) {
    abortReason = reason;
  }

  @Nullable String abortReason() {
    return abortReason;
  }

  HeldLease lease() {
    return lease;
  }
}
