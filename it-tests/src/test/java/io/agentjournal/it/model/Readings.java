package io.agentjournal.it.model;

import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.GetSessionRequest;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListEntriesRequest;
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
import java.util.ArrayList;
import java.util.List;

/** The calls that read all of a world. */
final class Readings {
  private Readings() {}

  static List<Step> of(World world) {
    List<Step> reads = new ArrayList<>();
    world.submissions.keySet().forEach(id -> reads.addAll(ofSubmission(id, "")));
    world.sessions.keySet().forEach(key -> reads.addAll(ofSession(key)));
    world.streams.keySet().forEach(key -> reads.addAll(ofStream(key)));
    reads.add(
        Call.of(
            RecoveryServiceGrpc.getListRecoverableMethod(),
            ListRecoverableRequest.newBuilder().addQueues("q").build()));
    return reads;
  }

  static List<Call> ofSubmission(String id, String attemptId) {
    return List.of(
        Call.of(
            SubmissionServiceGrpc.getGetSubmissionMethod(),
            GetSubmissionRequest.newBuilder().setSubmissionId(id).build()),
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
            TurnJournalServiceGrpc.getGetTurnJournalMethod(),
            GetTurnJournalRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            TurnJournalServiceGrpc.getReadToolRequestMethod(),
            ReadToolRequestRequest.newBuilder().setSubmissionId(id).build()),
        Call.of(
            SubmissionServiceGrpc.getGetReceiptMethod(),
            GetReceiptRequest.newBuilder().setSubmissionId(id).build()));
  }

  static List<Call> ofSession(String key) {
    return List.of(
        list(key, SubmissionFilter.SUBMISSION_FILTER_UNSPECIFIED),
        list(key, SubmissionFilter.SUBMISSION_FILTER_UNSETTLED),
        list(key, SubmissionFilter.SUBMISSION_FILTER_EXPIRED),
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
