package io.agentjournal.it.kill;

import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A stream as it is read back over the bare protocol, and what is wrong with it. */
final class StoredStream {
  private final List<Segment> segments = new ArrayList<>();
  private ReadEnd end = ReadEnd.getDefaultInstance();
  private long repeated;
  private long skipped;

  /** A stream that does not exist yet is empty. */
  static StoredStream read(Channel channel, String streamKey) {
    StoredStream read = new StoredStream();
    Iterator<ReadSegmentsResponse> messages =
        SegmentServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(1, TimeUnit.MINUTES)
            .readSegments(ReadSegmentsRequest.newBuilder().setStreamKey(streamKey).build());
    try {
      while (messages.hasNext()) {
        read.add(messages.next());
      }
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.NOT_FOUND) {
        throw e;
      }
    }
    return read;
  }

  private void add(ReadSegmentsResponse message) {
    if (message.hasRun()) {
      add(message.getRun());
    } else if (message.hasEnd()) {
      end = message.getEnd();
    }
  }

  private void add(SegmentRun run) {
    long expected = segments.size() + skipped;
    repeated += Math.max(0, expected - run.getFirstIndex());
    skipped += Math.max(0, run.getFirstIndex() - expected);
    segments.addAll(run.getSegmentsList());
  }

  boolean isComplete() {
    return end.getReason() == ReadEndReason.READ_END_REASON_COMPLETE;
  }

  /** Compares it with what was played so far, of which so many are acknowledged. */
  void compare(Capture capture, boolean asText, long acknowledged, Findings findings) {
    findings.lost += skipped + Math.max(0, acknowledged - segments.size());
    findings.duplicated += repeated;
    for (int i = 0; i < segments.size(); i++) {
      if (i >= capture.lines().size() || !segments.get(i).equals(capture.segment(i, asText))) {
        findings.changed++;
      }
    }
  }
}
