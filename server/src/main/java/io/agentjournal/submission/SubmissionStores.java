package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;

/**
 * What is done to submissions inside a caller's transaction, put together. Stateless and
 * thread-safe.
 */
public final class SubmissionStores {
  private final SessionRows sessions;
  private final SubmissionRows rows = new SubmissionRows();
  private final QueueRows queue = new QueueRows();
  private final AttemptRows attempts = new AttemptRows();
  private final ReceiptRows receipts = new ReceiptRows();
  private final SubmissionStore submissions = new SubmissionStore();
  private final PlanStore plans;
  private final Takeover takeover;
  private final OverviewStore overviews;
  private final SubmissionListStore lists;
  private final AbortStore aborts;
  private final RecoveryRequestStore recoveryRequests;
  private final RequeueStore requeues;
  private final WaitStore waits;
  private final AdmissionStore admissions;
  private final ClaimedStore claimed;
  private final ClaimStore claims;
  private final InputStore inputs;
  private final SettlementStore settlements;

  public SubmissionStores(
      SessionRows sessions, TranscriptStore transcript, SlotRows slots, StreamHeads streams) {
    this.sessions = sessions;
    this.plans = new PlanStore(streams);
    this.admissions = new AdmissionStore(sessions, queue, receipts, submissions);
    SlotHandover handover = new SlotHandover(slots, streams);
    this.takeover = new Takeover(rows, submissions, attempts, handover);
    this.claimed = new ClaimedStore(submissions, slots, plans);
    this.claims =
        new ClaimStore(sessions, rows, queue, attempts, submissions, takeover, handover, claimed);
    this.overviews = new OverviewStore(rows, submissions, attempts, slots);
    this.lists = new SubmissionListStore(slots);
    this.inputs = new InputStore(sessions, rows, transcript);
    this.settlements = new SettlementStore(sessions, rows, slots, transcript, streams);
    this.aborts = new AbortStore(sessions, rows, queue, slots, settlements, streams);
    this.recoveryRequests = new RecoveryRequestStore(rows);
    this.requeues = new RequeueStore(sessions, rows, attempts, settlements);
    this.waits = new WaitStore(sessions, rows, attempts, slots, settlements, streams);
  }

  /** The write tokens. */
  public SubmissionRows rows() {
    return rows;
  }

  /** What comes first in a session. */
  public QueueRows queue() {
    return queue;
  }

  public SubmissionStore submissions() {
    return submissions;
  }

  public PlanStore plans() {
    return plans;
  }

  public ClaimedStore claimed() {
    return claimed;
  }

  public Takeover takeover() {
    return takeover;
  }

  SubmissionListStore lists() {
    return lists;
  }

  NextClaimStore nextClaims(Transactions transactions) {
    return new NextClaimStore(transactions, sessions, rows, submissions, claims, claimed, requeues);
  }

  AbortStore aborts() {
    return aborts;
  }

  RecoveryRequestStore recoveryRequests() {
    return recoveryRequests;
  }

  RequeueStore requeues() {
    return requeues;
  }

  WaitStore waits() {
    return waits;
  }

  OverviewStore overviews() {
    return overviews;
  }

  public InputStore inputs() {
    return inputs;
  }

  public SettlementStore settlements() {
    return settlements;
  }

  AdmissionStore admissions() {
    return admissions;
  }

  ClaimStore claims() {
    return claims;
  }
}
