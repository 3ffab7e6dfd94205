package io.agentjournal.it.promise;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceBlockingStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks on while a submission is done: follows the stream of each of its turns live to its end,
 * over whatever happens to its connection. In a thread of its own.
 */
final class Follower implements Runnable {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  private final JournalClient journal;
  private final String submissionId;
  private final SubmissionServiceBlockingStub submissions;
  private final TurnJournalServiceBlockingStub turns;
  private final Map<String, List<Segment>> seen = new ConcurrentHashMap<>();

  Follower(JournalClient journal, String submissionId) {
    this.journal = journal;
    this.submissionId = submissionId;
    this.submissions = SubmissionServiceGrpc.newBlockingStub(journal.channel());
    this.turns = TurnJournalServiceGrpc.newBlockingStub(journal.channel());
  }

  String submissionId() {
    return submissionId;
  }

  /** By stream key, in the order in which they came. */
  Map<String, List<Segment>> seen() {
    return Map.copyOf(seen);
  }

  @Override
  public void run() {
    boolean isSettled = false;
    while (!isSettled) {
      // Asked before the turns are: after this there are no new ones.
      isSettled = isSettled();
      for (Turn turn : turns()) {
        if (!turn.getStreamKey().isEmpty() && !seen.containsKey(turn.getStreamKey())) {
          seen.put(turn.getStreamKey(), follow(turn.getStreamKey()));
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private List<Segment> follow(String streamKey) {
    List<Segment> segments = new ArrayList<>();
    try (SegmentReader reader =
        journal.reader(streamKey).follow().heartbeat(Duration.ofSeconds(1)).open()) {
      reader.forEachRemaining(stored -> segments.add(stored.segment()));
    }
    return segments;
  }

  private boolean isSettled() {
    GetSubmissionRequest request =
        GetSubmissionRequest.newBuilder().setSubmissionId(submissionId).build();
    return journal.repeat(() -> submissions.getSubmission(request)).getSubmission().getStatus()
        == SubmissionStatus.SUBMISSION_STATUS_SETTLED;
  }

  private List<Turn> turns() {
    ListTurnsRequest request = ListTurnsRequest.newBuilder().setSubmissionId(submissionId).build();
    return journal.repeat(() -> turns.listTurns(request)).getTurnsList();
  }
}
