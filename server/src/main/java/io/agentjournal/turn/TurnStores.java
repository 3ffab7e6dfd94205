package io.agentjournal.turn;

import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.submission.SubmissionStores;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;

/**
 * What the turn journal's calls do inside a caller's transaction, put together. Stateless and
 * thread-safe.
 */
public final class TurnStores {
  private final BeginStore begins;
  private final ToolRequestStore toolRequests;
  private final ConsumeStore consumes;
  private final ToolCallStore toolCalls;
  private final CommitStore commits;
  private final ReplaceStore replaces;
  private final TurnStore turns;

  public TurnStores(
      SubmissionStores submissions,
      SessionRows sessions,
      TranscriptStore transcript,
      SlotRows slots,
      StreamHeads streams) {
    LockedTurnRows locks = new LockedTurnRows(submissions.rows(), slots);
    TurnTranscriptStore turnTranscript =
        new TurnTranscriptStore(submissions.rows(), sessions, transcript);
    this.begins = new BeginStore(locks, slots, submissions.inputs(), streams);
    this.toolRequests = new ToolRequestStore(turnTranscript, locks, slots, streams);
    this.consumes = new ConsumeStore(locks, slots, streams);
    this.toolCalls = new ToolCallStore(turnTranscript, locks, slots);
    this.commits =
        new CommitStore(
            turnTranscript,
            locks,
            slots,
            streams,
            submissions.settlements(),
            submissions.submissions());
    this.replaces = new ReplaceStore(submissions.takeover(), submissions.claimed());
    this.turns = new TurnStore(submissions.rows(), slots);
  }

  BeginStore begins() {
    return begins;
  }

  ToolRequestStore toolRequests() {
    return toolRequests;
  }

  ConsumeStore consumes() {
    return consumes;
  }

  ToolCallStore toolCalls() {
    return toolCalls;
  }

  CommitStore commits() {
    return commits;
  }

  ReplaceStore replaces() {
    return replaces;
  }

  TurnStore turns() {
    return turns;
  }
}
