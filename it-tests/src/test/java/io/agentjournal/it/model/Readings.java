package io.agentjournal.it.model;

import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.GetSessionRequest;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListPendingSessionDeletionsRequest;
import io.agentjournal.v1.ListRecoverableRequest;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadToolRequestRequest;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SubmissionFilter;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.WatchSubmissionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The calls that read all of a world. */
final class Readings {
  /** So many sequences to one that reads everything twice. */
  private static final int AGAIN_IN = 4;

  private Readings() {}

  /**
   * All that is stored, and in some sequences what tells the same once more.
   *
   * @param seed the sequence's
   */
  static List<Step> of(World world, long seed) {
    boolean again = Math.floorMod(seed, AGAIN_IN) == 0;
    List<Step> reads = new ArrayList<>();
    Set<String> ids = new TreeSet<>(world.submissions.keySet());
    ids.addAll(world.kept.keySet());
    for (String id : ids) {
      reads.addAll(ofSubmission(id, ""));
      reads.addAll(again ? ofSubmissionAgain(id) : List.of());
    }
    for (String key : world.sessions.keySet()) {
      reads.addAll(ofSession(key));
      reads.addAll(again ? ofSessionAgain(key) : List.of());
    }
    world.streams.keySet().forEach(key -> reads.addAll(ofStream(key)));
    reads.add(
        Call.of(
            SessionServiceGrpc.getListPendingSessionDeletionsMethod(),
            ListPendingSessionDeletionsRequest.getDefaultInstance()));
    reads.add(
        Call.of(
            RecoveryServiceGrpc.getListRecoverableMethod(),
            ListRecoverableRequest.newBuilder().addQueues("q").build()));
    return reads;
  }

  /** Together they tell all that there is of it. */
  static List<Call> ofSubmission(String id, String attemptId) {
    return List.of(
        Call.of(
            RecoveryServiceGrpc.getPlanRecoveryMethod(),
            PlanRecoveryRequest.newBuilder().setSubmissionId(id).setAttemptId(attemptId).build()),
        Call.of(
            SubmissionServiceGrpc.getListAttemptMarkersMethod(),
            ListAttemptMarkersRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            TurnJournalServiceGrpc.getListTurnsMethod(),
            ListTurnsRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            SubmissionServiceGrpc.getGetReceiptMethod(),
            GetReceiptRequest.newBuilder().setSubmissionId(id).build()),
        watch(id));
  }

  static List<Call> ofSubmissionAgain(String id) {
    return List.of(
        Call.of(
            SubmissionServiceGrpc.getGetSubmissionMethod(),
            GetSubmissionRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            TurnJournalServiceGrpc.getGetTurnJournalMethod(),
            GetTurnJournalRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            TurnJournalServiceGrpc.getReadToolRequestMethod(),
            ReadToolRequestRequest.newBuilder().setSubmissionId(id).build()));
  }

  static Call watch(String id) {
    return Call.of(
        SubmissionServiceGrpc.getWatchSubmissionMethod(),
        WatchSubmissionRequest.newBuilder().setSubmissionId(id).build());
  }

  static List<Call> ofSession(String key) {
    return List.of(
        Call.of(
            SessionServiceGrpc.getGetSessionMethod(),
            GetSessionRequest.newBuilder().setSessionKey(key).build()),
        Call.of(
            SessionServiceGrpc.getListEntriesMethod(),
            ListEntriesRequest.newBuilder().setSessionKey(key).build()),
        Call.of(
            SessionServiceGrpc.getReadActivePathMethod(),
            ReadActivePathRequest.newBuilder().setSessionKey(key).build()));
  }

  static List<Call> ofSessionAgain(String key) {
    return List.of(
        list(key, SubmissionFilter.SUBMISSION_FILTER_UNSPECIFIED),
        list(key, SubmissionFilter.SUBMISSION_FILTER_UNSETTLED),
        list(key, SubmissionFilter.SUBMISSION_FILTER_EXPIRED));
  }

  private static Call list(String sessionKey, SubmissionFilter filter) {
    return Call.of(
        SubmissionServiceGrpc.getListSubmissionsMethod(),
        ListSubmissionsRequest.newBuilder().setSessionKey(sessionKey).setFilter(filter).build());
  }

  static List<Call> ofStream(String key) {
    return List.of(
        Call.of(
            SegmentServiceGrpc.getGetStreamMethod(),
            GetStreamRequest.newBuilder().setStreamKey(key).build()),
        Call.of(
            SegmentServiceGrpc.getReadSegmentsMethod(),
            ReadSegmentsRequest.newBuilder().setStreamKey(key).build()));
  }
}
