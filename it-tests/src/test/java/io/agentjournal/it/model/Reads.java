package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.GetReceiptResponse;
import io.agentjournal.v1.GetSessionRequest;
import io.agentjournal.v1.GetSessionResponse;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetStreamResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.GetTurnJournalResponse;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListAttemptMarkersResponse;
import io.agentjournal.v1.ListEnd;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListEntriesResponse;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.ListTurnsResponse;
import io.agentjournal.v1.PathEnd;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadActivePathResponse;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentRun;
import java.util.ArrayList;
import java.util.List;

/** What is read of the world. */
final class Reads {
  private Reads() {}

  static Answer submission(World world, GetSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    ModelStream stream = world.streamOf(submission);
    return Told.of(
        GetSubmissionResponse.getDefaultInstance(),
        "submission",
        submission.view(),
        "journal",
        Turns.journal(submission),
        "stream",
        stream == null ? null : stream.told);
  }

  static Answer journal(World world, GetTurnJournalRequest request) {
    ModelTurn slot = world.submission(request.getSubmissionId()).slot();
    if (slot == null) {
      throw new Denied(ErrorReason.ERROR_REASON_TURN_NOT_FOUND);
    }
    return Told.of(GetTurnJournalResponse.getDefaultInstance(), "journal", slot.slot);
  }

  static Answer turns(World world, ListTurnsRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    return Told.of(
        ListTurnsResponse.getDefaultInstance(),
        "turns",
        submission.turns.values().stream().map(ModelTurn::listed).toList());
  }

  static Answer markers(World world, ListAttemptMarkersRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    return Told.of(
        ListAttemptMarkersResponse.getDefaultInstance(),
        "markers",
        List.copyOf(submission.markers.values()));
  }

  static Answer receipt(World world, GetReceiptRequest request) {
    ModelSubmission submission = world.submissions.get(request.getSubmissionId());
    Deletions.Kept kept = world.kept.get(request.getSubmissionId());
    if (kept != null) {
      return Told.of(GetReceiptResponse.getDefaultInstance(), "receipt", kept.receipt());
    }
    if (submission == null) {
      throw new Denied(ErrorReason.ERROR_REASON_RECEIPT_NOT_FOUND);
    }
    return Told.of(
        GetReceiptResponse.getDefaultInstance(), "receipt", Submissions.receipt(submission));
  }

  static Answer session(World world, GetSessionRequest request) {
    return Told.of(
        GetSessionResponse.getDefaultInstance(),
        "session",
        world.session(request.getSessionKey()).told());
  }

  static Answer entries(World world, ListEntriesRequest request) {
    ModelSession session = world.session(request.getSessionKey());
    ListEnd end = ListEnd.newBuilder().setEntryCount(session.entries.size()).build();
    return read(
        ListEntriesResponse.newBuilder().addAllEntries(session.entries.values()).build(),
        session.entries.size(),
        ListEntriesResponse.newBuilder().setEnd(end).build());
  }

  static Answer path(World world, ReadActivePathRequest request) {
    ModelSession session = world.session(request.getSessionKey());
    List<Entry> path = session.path(session.leafId);
    PathEnd end = PathEnd.newBuilder().setLeafId(session.leafId).setEntryCount(path.size()).build();
    return read(
        ReadActivePathResponse.newBuilder().addAllEntries(path).build(),
        path.size(),
        ReadActivePathResponse.newBuilder().setEnd(end).build());
  }

  private static Answer read(Message all, int count, Message end) {
    return count == 0 ? Answer.of(end) : Answer.of(all, end);
  }

  static Answer stream(World world, GetStreamRequest request) {
    return Told.of(
        GetStreamResponse.getDefaultInstance(),
        "stream",
        world.stream(request.getStreamKey()).told);
  }

  static Answer segments(World world, ReadSegmentsRequest request) {
    ModelStream stream = world.stream(request.getStreamKey());
    List<Message> messages = new ArrayList<>();
    if (!stream.segments.isEmpty() && !stream.isDeleted()) {
      SegmentRun run = SegmentRun.newBuilder().addAllSegments(stream.segments).build();
      messages.add(ReadSegmentsResponse.newBuilder().setRun(run).build());
    }
    ReadEnd.Builder end = ReadEnd.newBuilder().setReason(reason(stream));
    if (!stream.isDeleted()) {
      end.setNextIndex(stream.nextIndex()).setFinishReason(stream.told.getFinishReason());
    }
    if (stream.told.hasFailure() && !stream.isDeleted()) {
      end.setFailure(stream.told.getFailure());
    }
    messages.add(ReadSegmentsResponse.newBuilder().setEnd(end).build());
    return Answer.of(messages.toArray(new Message[0]));
  }

  private static ReadEndReason reason(ModelStream stream) {
    return switch (stream.told.getState()) {
      case STREAM_STATE_COMPLETE -> ReadEndReason.READ_END_REASON_COMPLETE;
      case STREAM_STATE_FAILED -> ReadEndReason.READ_END_REASON_FAILED;
      case STREAM_STATE_SUPERSEDED -> ReadEndReason.READ_END_REASON_SUPERSEDED;
      case STREAM_STATE_DELETED -> ReadEndReason.READ_END_REASON_DELETED;
      case STREAM_STATE_OPEN, STREAM_STATE_UNSPECIFIED, UNRECOGNIZED ->
          ReadEndReason.READ_END_REASON_STILL_OPEN;
    };
  }
}
