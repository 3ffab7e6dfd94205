package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.DeleteStreamRequest;
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
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadToolRequestRequest;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SetLeafRequest;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.WatchSubmissionRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The contract: what a step may come to in a world. */
final class Contract {
  private final Map<Class<?>, Rule<Message>> rules = new HashMap<>();

  Contract() {
    on(AdmitSubmissionRequest.class, Submissions::admit);
    on(ClaimSubmissionRequest.class, Claims::claim);
    on(MarkInputAppliedRequest.class, Submissions::markInputApplied);
    on(RenewLeasesRequest.class, Leases::renew);
    on(RequestRecoveryRequest.class, Leases::requestRecovery);
    on(RequeueSubmissionRequest.class, Endings::requeue);
    on(SuspendSubmissionRequest.class, Waits::suspend);
    on(ResumeSubmissionRequest.class, Waits::resume);
    on(SettleSubmissionRequest.class, Endings::settle);
    on(RequestAbortRequest.class, Endings::requestAbort);
    on(BeginTurnJournalRequest.class, Turns::begin);
    on(UpdateTurnJournalPhaseRequest.class, Turns::update);
    on(MarkStreamConsumedRequest.class, Turns::consume);
    on(UpdateToolCallsRequest.class, Tools::update);
    on(CommitTurnJournalRequest.class, Commits::commit);
    on(ReplaceTurnJournalAttemptRequest.class, Claims::replace);
    on(TakeOverRequest.class, Claims::takeOver);
    on(PutSegmentsRequest.class, Streams::put);
    on(SealStreamRequest.class, Streams::seal);
    on(DeleteStreamRequest.class, Streams::delete);
    on(AppendEntriesRequest.class, Transcript::appendEntries);
    on(SetLeafRequest.class, Transcript::setLeaf);
    on(DeleteSessionRequest.class, Deletions::delete);
    on(ListPendingSessionDeletionsRequest.class, Deletions::pending);
    on(PlanRecoveryRequest.class, Plans::planRecovery);
    on(GetSubmissionRequest.class, Reads::submission);
    on(GetTurnJournalRequest.class, Reads::journal);
    on(ListTurnsRequest.class, Reads::turns);
    on(ListAttemptMarkersRequest.class, Reads::markers);
    on(GetReceiptRequest.class, Reads::receipt);
    on(GetSessionRequest.class, Reads::session);
    on(ListEntriesRequest.class, Reads::entries);
    on(ReadActivePathRequest.class, Reads::path);
    on(GetStreamRequest.class, Reads::stream);
    on(ReadSegmentsRequest.class, Reads::segments);
    on(ListSubmissionsRequest.class, Lists::submissions);
    on(ListRecoverableRequest.class, Lists::recoverable);
    on(ReadToolRequestRequest.class, Lists::toolRequest);
    on(WatchSubmissionRequest.class, Watching::watch);
  }

  /** Changes the world that it is given, or throws {@link Denied}: then that world is void. */
  @FunctionalInterface
  private interface Rule<T> {
    Answer apply(World world, T request);
  }

  private <T extends Message> void on(Class<T> type, Rule<T> rule) {
    rules.put(type, (world, request) -> rule.apply(world, type.cast(request)));
  }

  /**
   * Every way in which the step may end; mostly one.
   *
   * @param isAlone no other call is under way
   */
  List<Possible> possible(World before, Step step, boolean isAlone) {
    World after = before.copy();
    if (step instanceof DeletionGoesOn deletion) {
      Deletions.goOn(after, deletion.sessionKey());
      return List.of(new Possible(Answer.of(), after));
    }
    if (step instanceof TimePasses passed) {
      Leases.pass(after, passed);
      return List.of(new Possible(Answer.of(), after));
    }
    Message request = ((Call) step).request();
    if (request instanceof ClaimNextSubmissionRequest next) {
      return NextClaims.possible(after, next, isAlone);
    }
    Rule<Message> rule = rules.get(request.getClass());
    if (rule == null) {
      throw new IllegalArgumentException("no rule for " + step);
    }
    try {
      Answer answer = rule.apply(after, request);
      if (request instanceof DeleteSessionRequest deletion) {
        return List.of(Deletions.after(after, deletion.getSessionKey(), answer, isAlone));
      }
      return List.of(new Possible(answer, after));
    } catch (Denied denied) {
      return List.of(new Possible(denied.answer(), before));
    }
  }
}
