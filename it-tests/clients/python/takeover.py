"""Kills agents in the middle of their work and checks what others see. Exits with 0 when every check held.

Agents are processes of their own; this one is their parent, a follower, and whoever admits the work.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import grpc

from agentjournal.v1 import (common_pb2 as common, segment_pb2 as segment, submission_pb2 as submission,
                             turn_journal_pb2 as slot, turn_pb2 as turn)
import model
from journal import Journal, reason

HERE = os.path.dirname(os.path.abspath(__file__))
LEASE = 2  # seconds
PATIENCE = 60  # seconds; of everything that must come true
TOKENS = 120


def check(sentence, holds, seen=None):
    if not holds:
        raise SystemExit(f"NOT TRUE: {sentence}" + (f", but {seen}" if seen is not None else ""))
    print(f"  holds: {sentence}", flush=True)


class AgentProcess:
    """An agent in a process of its own, and the steps that it has told of."""

    def __init__(self, target, submission_id, owner, *options):
        self.steps, self.changed = [], threading.Condition()
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "agent.py"), "--target", target, "--submission", submission_id,
             "--owner", owner, "--lease", str(LEASE), "--tokens", str(TOKENS), *options],
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.steps.append(json.loads(line))
                self.changed.notify_all()

    def await_step(self, sentence, condition):
        with self.changed:
            if not self.changed.wait_for(lambda: any(map(condition, self.steps)), PATIENCE):
                self.process.kill()
                raise SystemExit(f"NOT TRUE within {PATIENCE} s: {sentence}; steps: {self.steps}")
            return next(filter(condition, self.steps))

    def last_durable(self):
        return max((step["next_index"] for step in self.steps if step["step"] == "durable"), default=0)

    def signal(self, number):
        self.process.send_signal(number)

    def exit_code(self):
        return self.process.wait(PATIENCE)


class Follower(threading.Thread):
    """Shows a response as it is stored, from a given index on; comes back after a cut."""

    def __init__(self, target, stream_key):
        super().__init__(daemon=True)
        self.target, self.stream_key, self.indexes, self.texts, self.end = target, stream_key, [], [], None
        self.start()

    def run(self):
        journal = Journal(self.target)
        while self.end is None:
            try:
                for message in journal.segments.ReadSegments(segment.ReadSegmentsRequest(
                        stream_key=self.stream_key, start_index=len(self.texts), follow=True, wait_for_stream=True)):
                    if message.HasField("run"):
                        self.indexes += range(message.run.first_index, message.run.first_index + len(message.run.segments))
                        self.texts += [one.text for one in message.run.segments]
                    if message.HasField("end"):
                        self.end = message.end
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    raise
                time.sleep(0.1)


def admit(journal, name):
    submission_id = f"{name}-{uuid.uuid4().hex[:8]}"
    request = submission.AdmitSubmissionRequest(
        submission_id=submission_id, session_key=f"session-of-{submission_id}", input=common.Payload(text="Tell me of the waves."))
    check("an admission is new once", journal.submissions.AdmitSubmission(request, timeout=10).applied)
    check("an admission again is a repeat", not journal.submissions.AdmitSubmission(request, timeout=10).applied)
    return submission_id


def claim(journal, submission_id, owner):
    """The reason why it was refused, or none."""
    try:
        journal.submissions.ClaimSubmission(submission.ClaimSubmissionRequest(
            attempt=common.AttemptRef(submission_id=submission_id, attempt_id=f"attempt-of-{owner}"),
            lease=common.LeaseRequest(owner=owner)), timeout=10)
        return None
    except grpc.RpcError as error:
        return reason(error)


def slot_of(journal, submission_id):
    return journal.submissions.GetSubmission(submission.GetSubmissionRequest(submission_id=submission_id), timeout=10)


def killed_in_the_middle_of_a_response(target, *options):
    journal = Journal(target)
    work = admit(journal, "killed")
    first = AgentProcess(target, work, "first", *options)
    stream_key = first.await_step("the first agent streams", lambda step: step["step"] == "streams")["stream_key"]
    follower = Follower(target, stream_key)
    first.await_step("40 tokens are durable", lambda step: step.get("next_index", 0) >= 40)
    check("nobody else gets the work while its lease is renewed", claim(journal, work, "another") == "LEASE_HELD")
    first.signal(signal.SIGKILL)
    first.exit_code()
    acknowledged = first.last_durable()
    print(f"  the first agent was killed; {acknowledged} tokens were acknowledged", flush=True)

    second = AgentProcess(target, work, "second", *options)
    claimed = second.await_step("the second agent has the work", lambda step: step["step"] == "claimed")
    check("the plan is to continue the stream", claimed["action"] == "RECOVERY_ACTION_CONTINUE_STREAM", claimed)
    check("nothing acknowledged is lost", claimed["next_index"] >= acknowledged, claimed)
    check("the second agent settles it", second.exit_code() == 0, second.steps[-1])
    streams = next(step for step in second.steps if step["step"] == "streams")
    check("it went on in the same stream", streams["stream_key"] == stream_key)
    check("it went on at the exact token", streams["start"] == claimed["next_index"], streams)

    whole = [json.dumps(event) for event in model.answer(TOKENS)]
    follower.join(PATIENCE)
    check("the follower saw every index once", follower.indexes == list(range(TOKENS)), follower.indexes)
    check("the follower saw the whole response", follower.texts == whole)
    check("the follower was told its end", follower.end.reason == segment.READ_END_REASON_COMPLETE, follower.end)
    after = slot_of(journal, work)
    check("the submission is settled", after.submission.settlement.outcome == submission.OUTCOME_COMPLETED, after.submission)
    check("the turn is committed", after.journal.phase == slot.TURN_PHASE_COMMITTED, after.journal)
    check("one turn was enough", after.journal.revision == 1, after.journal)


def wakes_up_as_a_zombie(target, *options):
    journal = Journal(target)
    work = admit(journal, "zombie")
    first = AgentProcess(target, work, "first", "--attempt", "attempt-of-first", *options)
    first.await_step("40 tokens are durable", lambda step: step.get("next_index", 0) >= 40)
    first.signal(signal.SIGSTOP)
    second = AgentProcess(target, work, "second", *options)
    second.await_step("the second agent streams", lambda step: step["step"] == "durable")
    first.signal(signal.SIGCONT)
    check("the zombie ends by itself", first.exit_code() == 3, first.steps[-1])
    refused = first.steps[-1]
    check("the zombie is told why", refused["reason"] == "STALE_ATTEMPT", refused)
    holder = slot_of(journal, work).submission.attempt_id or refused["facts"].get("current_attempt_id")
    check("the zombie is told who has it", refused["facts"].get("current_attempt_id") == holder, refused)
    check("the second agent settles it", second.exit_code() == 0, second.steps[-1])
    late = turn.CommitTurnJournalRequest(
        attempt=common.AttemptRef(submission_id=work, attempt_id="attempt-of-first"), turn_id=slot_of(journal, work).journal.turn_id)
    try:
        journal.turns.CommitTurnJournal(late, timeout=10)
        check("a late commit of the zombie is refused", False)
    except grpc.RpcError as error:
        check("a late commit of the zombie is refused", reason(error) in ("STALE_ATTEMPT", "ALREADY_SETTLED"), error)
    settled = slot_of(journal, work)
    text = "".join(event["text"] for event in model.answer(TOKENS))
    check("the result is the whole text, once", settled.submission.settlement.result.payload.text == text)


def killed_in_the_middle_of_a_tool(target, *options):
    journal = Journal(target)
    work = admit(journal, "tool")
    first = AgentProcess(target, work, "first", "--tool", "--tool-seconds", "60", *options)
    first.await_step("the tool was started", lambda step: step["step"] == "tool_started")
    first.signal(signal.SIGKILL)
    first.exit_code()
    second = AgentProcess(target, work, "second", "--tool", *options)
    claimed = second.await_step("the second agent has the work", lambda step: step["step"] == "claimed")
    check("the plan is to finish the tools", claimed["action"] == "RECOVERY_ACTION_FINISH_TOOLS", claimed)
    check("the second agent settles it", second.exit_code() == 0, second.steps[-1])
    results = [step for step in second.steps if step["step"] == "tool_result"]
    check("the tool's outcome is recorded as unknown, once",
          [result["kind"] for result in results] == ["TOOL_RESULT_KIND_INTERRUPTED"], results)
    check("the tool was not run again", not any(step["step"] == "tool_started" for step in second.steps))
    check("the answer came from a second turn", slot_of(journal, work).journal.revision == 2)


def restarts_under_its_old_name(target, *options):
    journal = Journal(target)
    work = admit(journal, "restart")
    owner = f"owner-of-{work}"
    first = AgentProcess(target, work, owner, "--lease", "600", *options)
    first.await_step("40 tokens are durable", lambda step: step.get("next_index", 0) >= 40)
    first.signal(signal.SIGKILL)
    first.exit_code()
    again = AgentProcess(target, work, owner, *options)
    claimed = again.await_step("it has the work long before the lease ends", lambda step: step["step"] == "claimed")
    check("the plan is to continue the stream", claimed["action"] == "RECOVERY_ACTION_CONTINUE_STREAM", claimed)
    check("it settles the work", again.exit_code() == 0, again.steps[-1])
    after = slot_of(journal, work).submission
    check("that cost no attempt", after.attempt_count == 1, after)
    markers = journal.submissions.ListAttemptMarkers(
        submission.ListAttemptMarkersRequest(submission_id=work), timeout=10).markers
    check("it is on record", [marker.end for marker in markers] == [
        submission.ATTEMPT_END_HANDED_OVER, submission.ATTEMPT_END_SETTLED], markers)


SCENARIOS = {
    "restarts_under_its_old_name": restarts_under_its_old_name,
    "killed_in_the_middle_of_a_response": killed_in_the_middle_of_a_response,
    "wakes_up_as_a_zombie": wakes_up_as_a_zombie,
    "killed_in_the_middle_of_a_tool": killed_in_the_middle_of_a_tool,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--scenario", choices=SCENARIOS, required=True)
    parser.add_argument("--session", action="store_true", help="AppendSession instead of PutSegments")
    options = parser.parse_args()
    SCENARIOS[options.scenario](options.target, *(["--session"] if options.session else []))


if __name__ == "__main__":
    main()
