"""Shows a response while it is written, each segment once. Comes back by itself when it is cut off."""

import argparse
import time

import grpc

from agentjournal.v1 import segment_pb2 as segment
from journal import Journal
from model import say


def follow(segments, stream_key):
    shown = 0
    while True:
        try:
            for message in segments.ReadSegments(segment.ReadSegmentsRequest(
                    stream_key=stream_key, start_index=shown, follow=True, wait_for_stream=True)):
                if message.HasField("run"):
                    for shown, one in enumerate(message.run.segments, message.run.first_index + 1):
                        say("segment", index=shown - 1, text=one.text)
                if message.HasField("end"):
                    say("end", reason=segment.ReadEndReason.Name(message.end.reason), next_index=message.end.next_index)
                    return
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
        time.sleep(0.2)  # cut: again, from the next index


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--stream", required=True)
    options = parser.parse_args()
    follow(Journal(options.target).segments, options.stream)
