"""The agent on asyncio, for models that stream their answer and ask for no tools.

Claims a submission, goes on where its predecessor stopped, settles it. For tools see agent.py: the calls are the same.
"""

import argparse
import asyncio
import sys
import uuid

import grpc

from agentjournal.v1 import (common_pb2 as common, entry_pb2 as entry, plan_pb2 as plan, segment_pb2 as segment,
                             segment_pb2_grpc, submission_pb2 as submission, submission_pb2_grpc, turn_pb2 as turn,
                             turn_pb2_grpc)
import model
from journal import CHANNEL_OPTIONS, facts, reason, seconds
from model import say

DEADLINE = 20  # seconds, of every call that does not last
FRESH = (plan.RECOVERY_ACTION_APPLY_INPUT, plan.RECOVERY_ACTION_BEGIN_TURN)
# The model was asked before; a part of its answer is stored, or none.
ASKED = (plan.RECOVERY_ACTION_CONTINUE_STREAM, plan.RECOVERY_ACTION_CALL_MODEL_AGAIN)


class Agent:
    def __init__(self, options, channel):
        self.options = options
        self.segments = segment_pb2_grpc.SegmentServiceStub(channel)
        self.submissions = submission_pb2_grpc.SubmissionServiceStub(channel)
        self.turns = turn_pb2_grpc.TurnJournalServiceStub(channel)
        # The write token, new for every claim.
        self.attempt = common.AttemptRef(submission_id=options.submission, attempt_id=uuid.uuid4().hex)

    async def run(self):
        claimed = await self.claim()
        keeper = asyncio.create_task(self.keep_lease())
        try:
            await self.go_on(claimed)
        finally:
            keeper.cancel()

    async def claim(self):
        """Waits for a predecessor's lease to end, when there is one."""
        while True:
            try:
                claimed = await self.submissions.ClaimSubmission(submission.ClaimSubmissionRequest(
                    attempt=self.attempt, lease=common.LeaseRequest(
                        owner=self.options.owner, duration=seconds(self.options.lease))), timeout=DEADLINE)
            except grpc.RpcError as error:
                if reason(error) != "LEASE_HELD":
                    raise
                remaining = int(facts(error)["remaining_ms"]) / 1000
                say("lease_held", remaining_seconds=remaining)
                await asyncio.sleep(min(0.5, max(0.02, remaining)))
                continue
            say("claimed", attempt=self.attempt.attempt_id, action=plan.RecoveryAction.Name(claimed.plan.action),
                because=claimed.plan.because, next_index=claimed.plan.stream.next_index)
            return claimed

    async def keep_lease(self):
        """Each call renews, waits, and answers early when the lease is lost or somebody asks to stop."""
        while True:
            try:
                answer = await self.submissions.RenewLeases(submission.RenewLeasesRequest(
                    attempts=[self.attempt], duration=seconds(self.options.lease),
                    wait=seconds(self.options.lease / 3)), timeout=self.options.lease)
                if answer.renewals[0].state != submission.RENEWAL_STATE_RENEWED:
                    return  # whatever this agent writes next is refused, and says why
            except grpc.RpcError:
                await asyncio.sleep(0.2)

    async def go_on(self, claimed):
        action, stream, journal = claimed.plan.action, claimed.plan.stream, claimed.journal
        if action == plan.RECOVERY_ACTION_APPLY_INPUT:
            await self.submissions.MarkInputApplied(submission.MarkInputAppliedRequest(
                attempt=self.attempt, entries=[entry.NewEntry(
                    entry_id=f"{self.attempt.submission_id}:input", kind="user",
                    payload=claimed.submission.input.payload)]), timeout=DEADLINE)
        if action == plan.RECOVERY_ACTION_REPLAY_STREAM:
            events = await self.stored(stream.stream_key)
        elif action in ASKED and stream.open:
            events = await self.ask_model(stream.stream_key)
        elif action in ASKED + FRESH:
            journal = (await self.turns.BeginTurnJournal(turn.BeginTurnJournalRequest(
                attempt=self.attempt, turn_id=uuid.uuid4().hex,
                start=turn.ProviderStart(content_type="application/json")), timeout=DEADLINE)).journal
            events = await self.ask_model(journal.stream_key)
        else:
            raise SystemExit(f"nothing to do for {plan.RecoveryAction.Name(action)}: {claimed.plan.because}")
        answer = common.Payload(json="[" + ",".join(events) + "]")
        await self.turns.CommitTurnJournal(turn.CommitTurnJournalRequest(
            attempt=self.attempt, turn_id=journal.turn_id, expected_next_index=len(events),
            entries=[entry.NewEntry(entry_id=f"{journal.turn_id}:assistant", kind="assistant", payload=answer)],
            settle=submission.Settlement(outcome=submission.OUTCOME_COMPLETED, result=answer)), timeout=DEADLINE)
        say("settled")

    async def ask_model(self, stream_key):
        """Asks the model for what is not stored yet, and stores each token as it comes. One call for the whole response."""
        call = self.segments.AppendSession()
        await call.write(segment.AppendSessionRequest(open=segment.StreamOpen(stream_key=stream_key, attempt=self.attempt)))
        start = (await call.read()).next_index  # the first answer, at once: what is stored already
        say("streams", stream_key=stream_key, start=start)
        writer = asyncio.create_task(self.append(call, start))
        try:
            while (answer := await call.read()) is not grpc.aio.EOF:  # raises the reason when the call is refused
                say("durable", next_index=answer.next_index)
            await writer  # raises what the model raised
        finally:
            writer.cancel()
        return await self.stored(stream_key)

    async def append(self, call, start):
        index = start
        try:
            async for event in model.astream(model.recorded(self.options.response), start, self.options.pause):
                await call.write(segment.AppendSessionRequest(first_index=index, segments=[segment.Segment(text=event)]))
                index += 1
            await call.write(segment.AppendSessionRequest(
                end=segment.StreamEnd(finish_reason="stop", expected_next_index=index)))
        finally:
            await call.done_writing()

    async def stored(self, stream_key):
        """Every segment. A call that ends without `end` was cut: again from the next index."""
        events = []
        while True:
            try:
                async for message in self.segments.ReadSegments(segment.ReadSegmentsRequest(
                        stream_key=stream_key, start_index=len(events)), timeout=DEADLINE):
                    events += [one.text for one in message.run.segments]
                    if message.HasField("end"):
                        return events
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    raise


async def main(options):
    async with grpc.aio.insecure_channel(options.target, options=CHANNEL_OPTIONS) as channel:
        try:
            await Agent(options, channel).run()
            return 0
        except grpc.RpcError as error:
            # A zombie ends here: STALE_ATTEMPT, and who has the work now.
            say("refused", code=error.code().name, reason=reason(error), facts=facts(error))
            return 3


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--submission", required=True)
    parser.add_argument("--owner", required=True)
    parser.add_argument("--response", required=True, help="a file of recorded events, one for each line: the model")
    parser.add_argument("--lease", type=float, default=30, help="seconds")
    parser.add_argument("--pause", type=float, default=0.025, help="seconds between tokens")
    sys.exit(asyncio.run(main(parser.parse_args())))
