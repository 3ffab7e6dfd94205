package io.agentjournal.it.model;

import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SetLeafRequest;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Makes sequences up. Most steps are what an agent would do next, as the model stands by then; some
 * are repeats of earlier calls, exact or almost, some come from attempts that were replaced, some
 * make no sense at all. The same seed makes the same sequence: what servers answer has no part in
 * it.
 */
final class Sequences {
  private static final int GROUPS = 26;
  private static final int REPEATS_PERCENT = 18;
  private static final int CONCURRENT_PERCENT = 18;
  private static final int LATELY = 3;

  private final Contract contract = new Contract();
  private final Draft draft;
  private final SubmissionMoves submissions;
  private final TurnMoves turns;
  private final StandAloneMoves alone;

  private Sequences(long seed) {
    this.draft = new Draft(new Random(seed));
    this.submissions = new SubmissionMoves(draft);
    this.turns = new TurnMoves(draft, submissions);
    this.alone = new StandAloneMoves(draft);
  }

  static Sequence of(long seed) {
    return new Sequence(seed, new Sequences(seed).groups());
  }

  private List<List<Step>> groups() {
    List<List<Step>> groups = new ArrayList<>();
    for (int i = 0; i < GROUPS; i++) {
      List<Step> group = draft.chance(CONCURRENT_PERCENT) ? together() : List.of(next());
      for (Step step : group) {
        draft.world = contract.possible(draft.world, step, true).get(0).after();
        if (step instanceof Call call) {
          draft.history.add(call);
        }
      }
      groups.add(group);
    }
    return groups;
  }

  /** Two or three calls, mostly about the same submission. */
  private List<Step> together() {
    String id = draft.submissionId();
    ModelSubmission submission = draft.world.submissions.get(id);
    if (submission != null && submission.isSettled() && draft.chance(20)) {
      return deletion(id);
    }
    List<Step> group = new ArrayList<>();
    int size = draft.chance(70) ? 2 : 3;
    while (group.size() < size) {
      Step step = next(draft.chance(85) ? id : draft.submissionId());
      if (step instanceof Call call
          && call.method().getType() == MethodDescriptor.MethodType.UNARY
          && !(call.request() instanceof DeleteSessionRequest)) {
        group.add(step);
      }
    }
    return group;
  }

  /** A deletion goes in steps, and something is done between them. */
  private List<Step> deletion(String id) {
    Step other =
        switch (draft.random.nextInt(5)) {
          case 0 -> submissions.deleteSession(id);
          case 1 -> appendEntries(id);
          case 2 -> setLeaf(id);
          default -> submissions.admit(id);
        };
    return List.of(submissions.deleteSession(id), other);
  }

  private Step next() {
    return next(draft.submissionId());
  }

  private Step next(String id) {
    if (!draft.history.isEmpty() && draft.chance(REPEATS_PERCENT)) {
      Call before = draft.oneOf(draft.chance(50) ? lately() : draft.history);
      return draft.chance(70) || isOfWorker(before) ? again(before) : Variations.of(before, draft);
    }
    ModelSubmission submission = draft.world.submissions.get(id);
    if (submission == null) {
      boolean isGone = draft.world.kept.containsKey(id);
      return isGone && draft.chance(70) ? alone.any() : submissions.admit(id);
    }
    if (draft.chance(4)) {
      return alone.any();
    }
    if (draft.chance(12)) {
      return anything(id);
    }
    return switch (submission.status()) {
      case SUBMISSION_STATUS_QUEUED -> queued(id);
      case SUBMISSION_STATUS_WAITING -> waiting(id);
      case SUBMISSION_STATUS_RUNNING -> draft.chance(22) ? intervention(id) : running(id);
      case SUBMISSION_STATUS_SETTLED, SUBMISSION_STATUS_UNSPECIFIED, UNRECOGNIZED ->
          switch (draft.random.nextInt(20)) {
            case 0, 1, 2 -> submissions.settleAgain(id);
            case 3, 4, 5, 6 -> anything(id);
            case 7 -> submissions.deleteSession(id);
            default -> next(draft.submissionId());
          };
    };
  }

  /** What nobody else has had the time to supersede. */
  private List<Call> lately() {
    int size = draft.history.size();
    return draft.history.subList(Math.max(0, size - LATELY), size);
  }

  private static boolean isOfWorker(Call call) {
    return call.request() instanceof ClaimNextSubmissionRequest;
  }

  /** What a worker once got may be gone with its session: then it would wait for something new. */
  private Step again(Call before) {
    return before.request() instanceof ClaimNextSubmissionRequest next
            && !draft.world.given.containsKey(next.getAttemptId())
        ? alone.any()
        : before;
  }

  private Step queued(String id) {
    ModelSubmission submission = draft.world.submission(id);
    String head = draft.world.sessionOf(submission).head();
    if (head != null && !head.equals(id) && draft.chance(85)) {
      return next(head);
    }
    if (draft.chance(15)) {
      return new TimePasses(TimePasses.What.DELAY, id);
    }
    return draft.chance(70) ? submissions.claim(id) : claimNext(id);
  }

  /** One that gets something: a worker that waits in vain takes long. */
  private Step claimNext(String id) {
    Call call = submissions.claimNext();
    Possible first = contract.possible(draft.world, call, true).get(0);
    return first.after().equals(draft.world) ? submissions.claim(id) : call;
  }

  private Step waiting(String id) {
    return switch (draft.random.nextInt(10)) {
      case 0, 1, 2, 3, 4 -> submissions.resume(id);
      case 5, 6, 7 -> submissions.claim(id);
      case 8 -> new TimePasses(TimePasses.What.DELAY, id);
      default -> intervention(id);
    };
  }

  private Step running(String id) {
    ModelSubmission submission = draft.world.submission(id);
    boolean isAborted = submission.told.hasAbortRequestedAt();
    if ((submission.timeSpent || isAborted) && draft.chance(30)) {
      return doomed(id, isAborted);
    }
    ModelTurn slot = draft.slot(id);
    if (slot == null) {
      if (draft.chance(4)) {
        return submissions.abort(id);
      }
      return switch (draft.random.nextInt(10)) {
        case 0, 1, 2 -> submissions.markInput(id);
        case 3 -> submissions.requeue(id);
        case 4 -> submissions.suspend(id);
        case 5 -> submissions.resume(id);
        default -> turns.begin(id);
      };
    }
    return switch (slot.phase()) {
      case TURN_PHASE_BEFORE_PROVIDER ->
          draft.chance(80) ? turns.startProvider(id) : turns.begin(id);
      case TURN_PHASE_PROVIDER_STARTED -> streaming(id);
      case TURN_PHASE_TOOL_REQUEST_RECORDED ->
          switch (draft.random.nextInt(16)) {
            case 0 -> turns.consume(id);
            case 1, 2, 3, 4 -> turns.commit(id);
            default -> turns.updateTools(id);
          };
      case TURN_PHASE_COMMITTED, TURN_PHASE_UNSPECIFIED, UNRECOGNIZED ->
          switch (draft.random.nextInt(10)) {
            case 0, 1 -> almostLastCommit(id);
            case 2, 3, 4 -> submissions.settle(id);
            default -> turns.begin(id);
          };
    };
  }

  private Step almostLastCommit(String id) {
    for (int i = draft.history.size() - 1; i >= 0; i--) {
      Call before = draft.history.get(i);
      if (before.request() instanceof CommitTurnJournalRequest commit
          && commit.getAttempt().getSubmissionId().equals(id)) {
        return Variations.of(before, draft);
      }
    }
    return turns.begin(id);
  }

  /** It is to end, and nobody but its attempt can see to that. */
  private Step doomed(String id, boolean isAborted) {
    if (!isAborted) {
      return submissions.renew(id);
    }
    return switch (draft.random.nextInt(8)) {
      case 0, 1 -> new TimePasses(TimePasses.What.ABORT_GRACE, id);
      case 2, 3 -> submissions.renew(id);
      case 4 -> submissions.abort(id);
      case 5 -> submissions.suspend(id);
      default -> submissions.requeue(id);
    };
  }

  private Step streaming(String id) {
    return switch (draft.random.nextInt(15)) {
      case 14 -> submissions.settle(id);
      case 0, 1, 2, 3, 12, 13 -> turns.put(id);
      case 4 -> turns.seal(id);
      case 5 -> turns.consume(id);
      case 6, 7, 8 -> turns.requestTools(id);
      case 9, 10 -> turns.commit(id);
      default -> turns.begin(id);
    };
  }

  private Step intervention(String id) {
    return switch (draft.random.nextInt(17)) {
      case 0, 1, 2 -> new TimePasses(TimePasses.What.LEASE, id);
      case 15 -> claimNext(id);
      case 3 ->
          draft.chance(40) ? new TimePasses(TimePasses.What.TIMEOUT, id) : submissions.renew(id);
      case 4, 5, 6 -> submissions.takeOver(id);
      case 7, 8 -> submissions.replace(id);
      case 9, 10 -> submissions.claim(id);
      case 11, 12 -> submissions.requestRecovery(id);
      case 13 -> submissions.suspend(id);
      case 14 -> draft.chance(50) ? submissions.abort(id) : submissions.renew(id);
      default -> submissions.renew(id);
    };
  }

  private Step anything(String id) {
    return switch (draft.random.nextInt(27)) {
      case 26 -> submissions.deleteSession(id);
      case 0 -> submissions.admit(id);
      case 1 -> submissions.claim(id);
      case 2 -> submissions.takeOver(id);
      case 3 -> submissions.replace(id);
      case 4 -> submissions.markInput(id);
      case 5 -> submissions.renew(id);
      case 6 -> submissions.requestRecovery(id);
      case 7 -> submissions.requeue(id);
      case 8 -> submissions.suspend(id);
      case 9 -> submissions.resume(id);
      case 10 -> submissions.settle(id);
      case 11 -> submissions.abort(id);
      case 12 -> turns.begin(id);
      case 13 -> turns.startProvider(id);
      case 14 -> turns.requestTools(id);
      case 15 -> turns.consume(id);
      case 16 -> turns.updateTools(id);
      case 17 -> turns.commit(id);
      case 18 -> turns.put(id);
      case 19 -> turns.seal(id);
      case 20 -> turns.delete(id);
      case 21, 22 -> appendEntries(id);
      case 23 -> setLeaf(id);
      default -> draft.oneOf(readings(id));
    };
  }

  private List<Call> readings(String id) {
    List<Call> reads = new ArrayList<>(Readings.ofSubmission(id, ""));
    reads.addAll(Readings.ofSubmission(id, draft.attempt(id).getAttemptId()));
    reads.addAll(Readings.ofSubmissionAgain(id));
    reads.addAll(Readings.ofSession(Draft.sessionOf(id)));
    reads.addAll(Readings.ofSessionAgain(Draft.sessionOf(id)));
    return reads;
  }

  private Call appendEntries(String id) {
    String session = draft.chance(90) ? Draft.sessionOf(id) : "s2";
    AppendEntriesRequest.Builder request =
        AppendEntriesRequest.newBuilder()
            .setSessionKey(session)
            .addAllEntries(draft.entries(session, 2));
    if (request.getEntriesCount() == 0) {
      request.addEntries(draft.entry(session));
    }
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    if (draft.chance(60)) {
      request.setAttempt(draft.attempt(id));
    }
    return Call.of(SessionServiceGrpc.getAppendEntriesMethod(), request.build());
  }

  private Call setLeaf(String id) {
    String session = Draft.sessionOf(id);
    SetLeafRequest.Builder request =
        SetLeafRequest.newBuilder().setSessionKey(session).setLeafId(draft.anyLeaf(session));
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    if (draft.chance(60)) {
      request.setAttempt(draft.attempt(id));
    }
    return Call.of(SessionServiceGrpc.getSetLeafMethod(), request.build());
  }
}
