"""A whole agent: claims a submission, goes on where its predecessor stopped, settles it.

Every step is a call that may be repeated; what was already done is not done again. Prints one line for each step,
for whoever watches.
"""

import argparse
import json
import queue
import sys
import threading
import time
import uuid

import grpc

from agentjournal.v1 import (common_pb2 as common, entry_pb2 as entry, plan_pb2 as plan, segment_pb2 as segment,
                             submission_pb2 as submission, turn_journal_pb2 as slot, turn_pb2 as turn)
import model
from journal import Journal, facts, reason, seconds
from model import say

DEADLINE = 20  # seconds, of every call that does not last


class LeaseKeeper(threading.Thread):
    """One call after the other: each renews, then waits until the lease is lost, the work is aborted, or time is up."""

    def __init__(self, journal, attempt, lease):
        super().__init__(daemon=True)
        self.journal, self.attempt, self.lease = journal, attempt, lease
        self.lost = threading.Event()

    def run(self):
        while not self.lost.is_set():
            try:
                answer = self.journal.submissions.RenewLeases(submission.RenewLeasesRequest(
                    attempts=[self.attempt], duration=seconds(self.lease), wait=seconds(self.lease / 3)),
                    timeout=self.lease)
            except grpc.RpcError as error:
                say("renewal_failed", code=error.code().name)
                time.sleep(0.2)
                continue
            renewal = answer.renewals[0]
            if renewal.state != submission.RENEWAL_STATE_RENEWED or renewal.abort_requested:
                self.lost.set()


class Agent:
    def __init__(self, options):
        self.options = options
        self.journal = Journal(options.target)
        self.attempt = common.AttemptRef(submission_id=options.submission, attempt_id=options.attempt or uuid.uuid4().hex)

    def run(self):
        self.give_up_what_a_former_process_held()
        claimed = self.claim()
        LeaseKeeper(self.journal, self.attempt, self.options.lease).start()
        self.drive(claimed)

    def give_up_what_a_former_process_held(self):
        """A process that restarts under its old name need not wait for its own lease."""
        given_up = self.journal.submissions.RequestRecovery(submission.RequestRecoveryRequest(
            owner=self.options.owner, reason="restarted"), timeout=DEADLINE).submission_ids
        if given_up:
            say("gave_up", submission_ids=list(given_up))

    def claim(self):
        request = submission.ClaimSubmissionRequest(
            attempt=self.attempt, lease=common.LeaseRequest(owner=self.options.owner, duration=seconds(self.options.lease)))
        while True:
            try:
                claimed = self.journal.submissions.ClaimSubmission(request, timeout=DEADLINE)
            except grpc.RpcError as error:
                if reason(error) != "LEASE_HELD":
                    raise
                held = facts(error)
                say("lease_held", owner=held["owner"], remaining_ms=int(held["remaining_ms"]))
                time.sleep(min(0.5, max(0.02, int(held["remaining_ms"]) / 1000)))
                continue
            say("claimed", attempt=self.attempt.attempt_id, action=plan.RecoveryAction.Name(claimed.plan.action),
                because=claimed.plan.because, next_index=claimed.plan.stream.next_index)
            return claimed

    def drive(self, claimed):
        action, stream, journal = claimed.plan.action, claimed.plan.stream, claimed.journal
        if action == plan.RECOVERY_ACTION_APPLY_INPUT:
            self.apply_input(claimed.submission)
            action = plan.RECOVERY_ACTION_BEGIN_TURN
        if action == plan.RECOVERY_ACTION_FINISH_TOOLS:
            self.run_tools(journal, {tool.tool_call_id: tool.verdict for tool in claimed.plan.tools})
            action = plan.RECOVERY_ACTION_BEGIN_TURN
        while True:
            if action in (plan.RECOVERY_ACTION_CONTINUE_STREAM, plan.RECOVERY_ACTION_CALL_MODEL_AGAIN) and not stream.open:
                action = plan.RECOVERY_ACTION_BEGIN_TURN
            if action == plan.RECOVERY_ACTION_REPLAY_STREAM:
                events = self.read(stream.stream_key)
            else:
                if action == plan.RECOVERY_ACTION_BEGIN_TURN:
                    journal = self.journal.turns.BeginTurnJournal(turn.BeginTurnJournalRequest(
                        attempt=self.attempt, turn_id=uuid.uuid4().hex,
                        start=turn.ProviderStart(content_type="application/json")), timeout=DEADLINE).journal
                elif action == plan.RECOVERY_ACTION_CALL_MODEL:
                    journal = self.journal.turns.UpdateTurnJournalPhase(turn.UpdateTurnJournalPhaseRequest(
                        attempt=self.attempt, turn_id=journal.turn_id,
                        provider_started=turn.ProviderStart(content_type="application/json")), timeout=DEADLINE).journal
                elif action not in (plan.RECOVERY_ACTION_CONTINUE_STREAM, plan.RECOVERY_ACTION_CALL_MODEL_AGAIN):
                    raise SystemExit(f"nothing to do for {plan.RecoveryAction.Name(action)}")
                events = self.stream(journal)
            calls = [event["call"] for event in map(json.loads, events) if "call" in event]
            answer = common.Payload(json="[" + ",".join(events) + "]")
            message = entry.NewEntry(entry_id=f"{journal.turn_id}:assistant", kind="assistant", payload=answer)
            if not calls:
                self.commit(journal.turn_id, message, len(events))
                return
            journal = self.journal.turns.UpdateTurnJournalPhase(turn.UpdateTurnJournalPhaseRequest(
                attempt=self.attempt, turn_id=journal.turn_id, tool_request_recorded=turn.ToolRequest(
                    entries=[message], expected_next_index=len(events), calls=[slot.NewToolCall(
                        tool_call_id=call["id"], name=call["name"], arguments=json.dumps(call["arguments"]).encode())
                        for call in calls])), timeout=DEADLINE).journal
            self.run_tools(journal, {})
            action = plan.RECOVERY_ACTION_BEGIN_TURN

    def apply_input(self, work):
        self.journal.submissions.MarkInputApplied(submission.MarkInputAppliedRequest(
            attempt=self.attempt, entries=[entry.NewEntry(
                entry_id=f"{work.submission_id}:input", kind="user", payload=work.input.payload)]), timeout=DEADLINE)
        say("input_applied")

    def stream(self, journal):
        """Asks the model for what is not stored yet, and stores each token as it comes."""
        stored = self.read(journal.stream_key)
        asks_for_tool = self.options.tool and journal.revision == 1
        whole = model.tool_request() if asks_for_tool else model.recorded(self.options.response)
        say("streams", stream_key=journal.stream_key, start=len(stored))
        opened = segment.StreamOpen(stream_key=journal.stream_key, attempt=self.attempt)
        append = self.append_session if self.options.session else self.put_each
        append(opened, len(stored), model.stream(whole, len(stored), self.options.pause))
        return whole

    def put_each(self, opened, index, events):
        """One unary call for each token: durable when it returns, and every failure is raised here."""
        for index, event in enumerate(events, index):
            answer = self.journal.segments.PutSegments(segment.PutSegmentsRequest(
                open=opened, first_index=index, segments=[segment.Segment(text=event)]), timeout=DEADLINE)
            say("durable", next_index=answer.next_index)
            if answer.abort_requested:
                raise SystemExit("aborted")
        self.journal.segments.PutSegments(segment.PutSegmentsRequest(
            open=opened, end=segment.StreamEnd(finish_reason="stop")), timeout=DEADLINE)

    def append_session(self, opened, index, events):
        """One call for the whole response. The model is read in this thread, so that what it throws is thrown here."""
        requests = queue.SimpleQueue()
        requests.put(segment.AppendSessionRequest(open=opened))
        call = self.journal.segments.AppendSession(iter(requests.get, None))
        failure = queue.SimpleQueue()

        def acknowledgements():
            try:
                for answer in call:
                    say("durable", next_index=answer.next_index)
            except grpc.RpcError as error:
                failure.put(error)

        reader = threading.Thread(target=acknowledgements, daemon=True)
        reader.start()
        for index, event in enumerate(events, index):
            if not reader.is_alive():
                break
            requests.put(segment.AppendSessionRequest(first_index=index, segments=[segment.Segment(text=event)]))
        else:
            requests.put(segment.AppendSessionRequest(end=segment.StreamEnd(finish_reason="stop")))
        requests.put(None)
        reader.join()
        if not failure.empty():
            raise failure.get()

    def read(self, stream_key):
        """All that is stored. A call that ends without `end` was cut: again from the next index."""
        events = []
        while True:
            try:
                for message in self.journal.segments.ReadSegments(segment.ReadSegmentsRequest(
                        stream_key=stream_key, start_index=len(events)), timeout=DEADLINE):
                    if message.HasField("run"):
                        events += [one.text for one in message.run.segments]
                    if message.HasField("end"):
                        return events
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    raise

    def run_tools(self, journal, verdicts):
        def record(**update):
            self.journal.turns.UpdateToolCalls(turn.UpdateToolCallsRequest(
                attempt=self.attempt, turn_id=journal.turn_id, updates=[turn.ToolCallUpdate(**update)]), timeout=DEADLINE)

        for call in journal.calls:
            verdict = verdicts.get(call.tool_call_id, plan.TOOL_VERDICT_NOT_STARTED)
            if verdict == plan.TOOL_VERDICT_HAS_RESULT:
                continue
            if verdict == plan.TOOL_VERDICT_OUTCOME_UNKNOWN:
                kind, result = slot.TOOL_RESULT_KIND_INTERRUPTED, {"error": "interrupted, outcome unknown"}
            else:
                record(tool_call_id=call.tool_call_id, started=turn.ToolStarted())
                say("tool_started", tool_call_id=call.tool_call_id)
                time.sleep(self.options.tool_seconds)
                kind, result = slot.TOOL_RESULT_KIND_OK, {"charged": True}
            record(tool_call_id=call.tool_call_id, result=turn.ToolResult(kind=kind, entry=entry.NewEntry(
                entry_id=f"{journal.turn_id}:{call.tool_call_id}", kind="tool_result",
                payload=common.Payload(json=json.dumps(result)))))
            say("tool_result", tool_call_id=call.tool_call_id, kind=slot.ToolResultKind.Name(kind))
        self.journal.turns.CommitTurnJournal(
            turn.CommitTurnJournalRequest(attempt=self.attempt, turn_id=journal.turn_id), timeout=DEADLINE)
        say("turn_committed")

    def commit(self, turn_id, message, segments):
        self.journal.turns.CommitTurnJournal(turn.CommitTurnJournalRequest(
            attempt=self.attempt, turn_id=turn_id, entries=[message], expected_next_index=segments,
            settle=submission.Settlement(outcome=submission.OUTCOME_COMPLETED, result=message.payload)), timeout=DEADLINE)
        say("settled")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--submission", required=True)
    parser.add_argument("--owner", required=True)
    parser.add_argument("--attempt", default="", help="its write token; without one, a new one")
    parser.add_argument("--lease", type=float, default=30, help="seconds")
    parser.add_argument("--response", required=True, help="a file of recorded events, one for each line: the model")
    parser.add_argument("--pause", type=float, default=0.025, help="seconds between tokens")
    parser.add_argument("--session", action="store_true", help="AppendSession instead of PutSegments")
    parser.add_argument("--tool", action="store_true", help="the first turn asks for a tool")
    parser.add_argument("--tool-seconds", type=float, default=0)
    try:
        Agent(parser.parse_args()).run()
    except grpc.RpcError as error:
        say("refused", code=error.code().name, reason=reason(error), facts=facts(error))
        sys.exit(3)


if __name__ == "__main__":
    main()
