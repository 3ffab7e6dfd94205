package io.agentjournal.it.model;

import java.util.List;

/** The guards of slot, tools and transcript. */
final class TurnGuards {
  private TurnGuards() {}

  static List<Guard> all() {
    return List.of(
        Guard.of(
            "the fence of the slot's transitions",
            "turn/LockedTurn",
            "    submission.requireHeldBy(attempt);\n    if (slot == null",
            "    if (slot == null"),
        Guard.of(
            "the fence of BeginTurnJournal",
            "turn/BeginStore",
            "locked.submission().requireHeldBy(call.attempt());",
            "locked.submission();"),
        Guard.of(
            "a repeated begin is the attempt's own",
            "turn/BeginTurn",
            "turn.begun().equals(begun())",
            "turn.begun().operationId().equals(operationId)"),
        Guard.of(
            "the order of phases",
            "turn/LockedTurn",
            "if (!Arrays.asList(wanted).contains(current.phase())) {",
            "if (wanted.length == 0) {"),
        Guard.of(
            "an earlier turn is not the slot's",
            "turn/LockedTurn",
            "if (slot.turn().turnId().equals(turnId)) {",
            "if (slot.turn().revision() > 0) {"),
        Guard.of(
            "a turn id is used once",
            "turn/BeginStore",
            "if (slot != null && turn != null) {",
            "if (slot == null && turn != null) {"),
        Guard.of(
            "the expected revision",
            "turn/BeginStore",
            "call.expectedRevision() != null && call.expectedRevision() != revision",
            "call.expectedRevision() != null && call.expectedRevision() < 0"),
        Guard.of(
            "a new turn supersedes the open stream",
            "turn/BeginStore",
            "if (abandoned != null) {",
            "if (abandoned != null && submission.isAbortRequested()) {"),
        Guard.of(
            "a stream's key is used once",
            "segment/StreamHeads",
            "    throw new StreamConflict(key.key());",
            "    return;"),
        Guard.of(
            "consumed only in provider_started",
            "turn/ConsumeStore",
            "locked.require(Phase.PROVIDER_STARTED)",
            "locked.require(Phase.PROVIDER_STARTED, Phase.TOOL_REQUEST_RECORDED)"),
        Guard.of(
            "consumed is stamped once",
            "turn/ConsumeStore",
            "if (slot.turn().consumed() != null) {",
            "if (slot.turn().revision() < 0) {"),
        Guard.of(
            "only the slot's stream is consumed",
            "turn/ConsumeStore",
            "if (!call.namesStreamOf(slot.turn())) {",
            "if (slot.turn().revision() < 0) {"),
        Guard.of(
            "the segments that the slot's caller expects",
            "segment/StreamHeads",
            "if (expectedNextIndex != null && expectedNextIndex != head.nextIndex()) {",
            "if (expectedNextIndex != null && expectedNextIndex < 0) {"),
        Guard.of(
            "a repeated commit says the same of the last turn",
            "turn/CommitTurn",
            "        && stored.isFinal() == isFinal\n",
            ""),
        Guard.of(
            "the fence of a tool's start",
            "turn/ToolCallStore",
            "if (call.hasStart()) {",
            "if (call.hasStart() && call.hasResult()) {"),
        Guard.of(
                "a tool is started once unless it is restart-safe",
                "turn/ToolCallStore",
                "if (call.state() != ToolCall.State.RECORDED && !again) {",
                "if (call.state() == ToolCall.State.RESULT) {")
            .and(
                "slot/ToolCallTransitionRows",
                "(state = 'STARTED' AND restart_safe)",
                "state = 'STARTED'"),
        Guard.of(
            "a tool's result is recorded once",
            "turn/ToolCallStore",
            "} else if (!update.isResultOf(before) || !hasEntry(connection, call, update, session))"
                + " {",
            "} else if (before.state() == ToolCall.State.STARTED) {"),
        Guard.of(
            "the expected leaf",
            "transcript/TranscriptStore",
            "if (expectedLeafId != null && !expectedLeafId.equals(leafId)) {",
            "if (expectedLeafId != null && session.key() == null) {"),
        Guard.of(
            "the expected leaf of SetLeaf",
            "session/LeafStore",
            "if (expectedLeafId != null && !expectedLeafId.equals(current)) {",
            "if (expectedLeafId != null && session.key() == null) {"),
        Guard.of(
            "entries are immutable",
            "transcript/StoredEntry",
            "        && payload.equals(entry.payload())\n",
            ""),
        Guard.of(
            "an entry stays where it is",
            "transcript/StoredEntry",
            "        && hasParentOf(entry, previousId)",
            ""),
        Guard.of(
            "the fence of AppendEntries and SetLeaf",
            "session/LeafStore",
            "submissions.requireRunning(connection, attempt)",
            "submissions.lockForShare(connection, attempt.submission())"),
        Guard.of(
            "nobody else moves the leaf while a submission runs",
            "session/LeafStore",
            "if (status == SubmissionStatus.RUNNING || status == SubmissionStatus.WAITING) {",
            "if (status == SubmissionStatus.SETTLED) {"),
        Guard.of(
            "a session in which something is to be done is not deleted",
            "session/DeletionStore",
            "if (active != null) {",
            "if (active != null && session.key() == null) {"),
        Guard.of(
            "the receipt of a dispatched submission is kept",
            "session/DeletionStore",
            "connection.prepareStatement(statementText)",
            "connection.prepareStatement(statementText.replace(\" AND kind = 'DIRECT'\", \"\"))"),
        Guard.of(
            "a leaf is an entry",
            "session/LeafStore",
            "if (leafId != null && !transcript.contains(connection, key, leafId)) {",
            "if (leafId != null && session.key() == null) {"));
  }
}
