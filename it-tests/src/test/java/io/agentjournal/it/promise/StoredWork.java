package io.agentjournal.it.promise;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListStreamsRequest;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import java.util.ArrayList;
import java.util.List;

/** What the journal holds when all is done, read over a connection that nobody disturbs. */
final class StoredWork {
  private static final Page ALL = Page.newBuilder().setSize(1_000).build();

  private final JournalClient journal;

  StoredWork(JournalClient journal) {
    this.journal = journal;
  }

  Submission submission(String submissionId) {
    return SubmissionServiceGrpc.newBlockingStub(journal.channel())
        .getSubmission(GetSubmissionRequest.newBuilder().setSubmissionId(submissionId).build())
        .getSubmission();
  }

  List<AttemptMarker> markers(String submissionId) {
    return SubmissionServiceGrpc.newBlockingStub(journal.channel())
        .listAttemptMarkers(
            ListAttemptMarkersRequest.newBuilder()
                .setSubmissionId(submissionId)
                .setPage(ALL)
                .build())
        .getMarkersList();
  }

  List<Turn> turns(String submissionId) {
    return TurnJournalServiceGrpc.newBlockingStub(journal.channel())
        .listTurns(ListTurnsRequest.newBuilder().setSubmissionId(submissionId).setPage(ALL).build())
        .getTurnsList();
  }

  List<Stream> streams(String submissionId) {
    return SegmentServiceGrpc.newBlockingStub(journal.channel())
        .listStreams(
            ListStreamsRequest.newBuilder().setSubmissionId(submissionId).setPage(ALL).build())
        .getStreamsList();
  }

  List<Segment> segments(String streamKey) {
    List<Segment> segments = new ArrayList<>();
    try (SegmentReader reader = journal.reader(streamKey).open()) {
      reader.forEachRemaining(stored -> segments.add(stored.segment()));
    }
    return segments;
  }

  /** Root first. */
  List<Entry> path(String sessionKey) {
    List<Entry> entries = new ArrayList<>();
    SessionServiceGrpc.newBlockingStub(journal.channel())
        .readActivePath(ReadActivePathRequest.newBuilder().setSessionKey(sessionKey).build())
        .forEachRemaining(message -> entries.addAll(message.getEntriesList()));
    return entries;
  }

  /** On whatever branch. */
  List<Entry> entries(String sessionKey) {
    List<Entry> entries = new ArrayList<>();
    SessionServiceGrpc.newBlockingStub(journal.channel())
        .listEntries(ListEntriesRequest.newBuilder().setSessionKey(sessionKey).build())
        .forEachRemaining(message -> entries.addAll(message.getEntriesList()));
    return entries;
  }
}
