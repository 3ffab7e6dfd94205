package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.agentjournal.client.JournalException;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.function.Executable;

/** Work for the agents of a test, and what is stored of it. */
record AdmittedSubmission(Channel channel, String id) {
  static AdmittedSubmission admit(Channel channel, String name) {
    String id = name + "-" + UUID.randomUUID();
    var unused =
        submissions(channel)
            .admitSubmission(
                AdmitSubmissionRequest.newBuilder()
                    .setSubmissionId(id)
                    .setSessionKey("session-of-" + id)
                    .setInput(Payload.newBuilder().setText("Tell me."))
                    .build());
    return new AdmittedSubmission(channel, id);
  }

  private static SubmissionServiceBlockingStub submissions(Channel channel) {
    return SubmissionServiceGrpc.newBlockingStub(channel);
  }

  AttemptRef attempt(String attemptId) {
    return AttemptRef.newBuilder().setSubmissionId(id).setAttemptId(attemptId).build();
  }

  GetSubmissionResponse stored() {
    return submissions(channel)
        .getSubmission(GetSubmissionRequest.newBuilder().setSubmissionId(id).build());
  }

  List<AttemptMarker> markers() {
    return submissions(channel)
        .listAttemptMarkers(ListAttemptMarkersRequest.newBuilder().setSubmissionId(id).build())
        .getMarkersList();
  }

  /** Why an attempt may not commit the turn. */
  ErrorReason commitRefusal(String attemptId) {
    CommitTurnJournalRequest request =
        CommitTurnJournalRequest.newBuilder()
            .setAttempt(attempt(attemptId))
            .setTurnId(stored().getJournal().getTurnId())
            .build();
    return refusal(
        () -> TurnJournalServiceGrpc.newBlockingStub(channel).commitTurnJournal(request));
  }

  private static ErrorReason refusal(Executable call) {
    StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, call);
    return ((JournalException.Refused) JournalException.of(refused)).reason();
  }

  /** Settled by its first turn, whose response is the recorded one, once. */
  void assertAnsweredBy(Recording recording) {
    GetSubmissionResponse stored = stored();
    assertEquals(Outcome.OUTCOME_COMPLETED, stored.getSubmission().getSettlement().getOutcome());
    assertEquals(TurnPhase.TURN_PHASE_COMMITTED, stored.getJournal().getPhase());
    assertEquals(1, stored.getJournal().getRevision());
    assertEquals(recording.size(), stored.getStream().getNextIndex());
    assertEquals(
        "[" + String.join(",", recording.events()) + "]",
        stored.getSubmission().getSettlement().getResult().getPayload().getJson());
  }
}
