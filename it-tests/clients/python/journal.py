"""What every Python program says to an agent-journal server: stock grpcio and generated stubs, nothing else.

Errors of synchronous calls and of asyncio's (grpc.aio.AioRpcError) are both grpc.RpcError.
"""

import json

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from agentjournal.v1 import recovery_pb2_grpc, segment_pb2_grpc, session_pb2_grpc, submission_pb2_grpc, turn_pb2_grpc

# Repeating any call with the same ids and indexes is safe, so the channel may do it by itself.
RETRIES = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "2s", "backoffMultiplier": 3,
    "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]}}]})
CHANNEL_OPTIONS = [("grpc.service_config", RETRIES)]


class Journal:
    """The services of one server."""

    def __init__(self, target):
        self.channel = grpc.insecure_channel(target, options=CHANNEL_OPTIONS)
        self.segments = segment_pb2_grpc.SegmentServiceStub(self.channel)
        self.turns = turn_pb2_grpc.TurnJournalServiceStub(self.channel)
        self.submissions = submission_pb2_grpc.SubmissionServiceStub(self.channel)
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)
        self.recovery = recovery_pb2_grpc.RecoveryServiceStub(self.channel)


def seconds(n):
    return Duration(seconds=int(n), nanos=int((n - int(n)) * 1e9))


def reason(error):
    """Why a call was refused; "" when the server did not say (cut, deadline)."""
    return dict(error.trailing_metadata() or ()).get("agentjournal-reason", "")


def facts(error):
    """The facts of a refusal by name."""
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    info = error_details_pb2.ErrorInfo()
    for detail in status_pb2.Status.FromString(details).details if details else ():
        if detail.Unpack(info):
            return dict(info.metadata)
    return {}
