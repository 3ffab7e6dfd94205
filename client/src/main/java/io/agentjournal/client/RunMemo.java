package io.agentjournal.client;

import io.agentjournal.v1.CloseRunRequest;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetLastIterationRequest;
import io.agentjournal.v1.GetLastIterationResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import io.agentjournal.v1.SetCheckpointRequest;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An agent's run, driven from its beginning as often as it takes: what is recorded is answered and
 * not done again, what is not is done and recorded. Thread-safe: steps of different places run side
 * by side, of one place one after the other. All methods but {@link #close} block until the journal
 * has answered; over a server that is away they try again.
 *
 * <p>Places are numbers of the caller's choice, the same on every replay. Parallel tool calls take
 * one each.
 */
public final class RunMemo implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 60;

  private final JournalTransport transport;
  private final String runId;
  private final String claimId;
  private final String startedBy = UUID.randomUUID().toString();
  private final RunKeys keys;
  private final RunRecords records;
  private final RepeatedCall calls;
  private final RunJournalServiceBlockingStub journal;
  private final @Nullable RunLease lease;
  private final ConcurrentHashMap<Long, Object> places = new ConcurrentHashMap<>();
  private final Set<Long> startedHere = ConcurrentHashMap.newKeySet();

  /**
   * @param lease null: without a claim, and then without claim id
   */
  RunMemo(JournalTransport transport, String runId, String claimId, @Nullable RunLease lease) {
    this.transport = transport;
    this.runId = runId;
    this.claimId = claimId;
    this.keys = new RunKeys(runId);
    this.records = new RunRecords(transport, runId, claimId);
    this.calls = new RepeatedCall(transport);
    this.journal = RunJournalServiceGrpc.newBlockingStub(transport.calls());
    this.lease = lease;
  }

  /** Begins to hold the lease and reads what is recorded. */
  void start() {
    if (lease != null) {
      lease.start();
    }
    records.load();
  }

  public String runId() {
    return runId;
  }

  /** Of the claim under which this process writes; empty: under none. */
  public String claimId() {
    return claimId;
  }

  /** A model's decision: bought once. See {@link #once}. */
  public <E extends Exception> String decision(long seq, RunStep<E> model) throws E {
    return once(seq, EventKind.EVENT_KIND_MODEL_DECISION, model);
  }

  /**
   * Answers what is recorded at this place; if nothing is, does the step and records its answer.
   * When another process has recorded something meanwhile, that is the answer. A step that throws
   * records nothing.
   *
   * @throws JournalException the answer was refused, or this process has lost the run; the step
   *     itself may have been done then
   */
  public <E extends Exception> String once(long seq, EventKind kind, RunStep<E> step) throws E {
    RecordedEvent place = new RecordedEvent(seq, kind);
    synchronized (lockOf(seq)) {
      String recorded = records.find(place);
      if (recorded != null) {
        return recorded;
      }
      requireHeld();
      String made = step.run(keys.idempotencyKey(seq, RunKeys.word(kind)));
      return records.keepFirst(place, made);
    }
  }

  /**
   * A tool's result: as {@link #once}, but the call is recorded before it is made. A call that an
   * earlier process has recorded and not answered is made again only if the tool is restart-safe;
   * else {@link ToolOutcome.Unknown} is recorded and answered. A tool that throws records no
   * result; the same process may call it again.
   *
   * @throws RunDiverged another tool's call is recorded at this place
   * @throws JournalException as {@link #once}; when recording the call is refused, the tool was not
   *     called
   */
  public <E extends Exception> ToolOutcome tool(long seq, RunTool tool, RunStep<E> body) throws E {
    String key = keys.idempotencyKey(seq, tool.name());
    RecordedEvent resultPlace = new RecordedEvent(seq, EventKind.EVENT_KIND_TOOL_RESULT);
    synchronized (lockOf(seq)) {
      RecordedEvent callPlace = new RecordedEvent(seq, EventKind.EVENT_KIND_TOOL_CALL);
      String call = records.find(callPlace);
      if (call != null && !RunKeys.mayBeCall(call, key)) {
        throw new RunDiverged(
            "at " + seq + " of run " + runId + " another call is recorded: " + call);
      }
      String recorded = records.find(resultPlace);
      if (recorded != null) {
        return outcome(recorded, key);
      }
      requireHeld();
      if (call == null) {
        records.putOnce(callPlace, RunKeys.call(tool, key, startedBy));
        startedHere.add(seq);
      } else if (!tool.isRestartSafe() && !startedHere.contains(seq)) {
        return outcome(records.keepFirst(resultPlace, RunKeys.outcomeUnknown(key)), key);
      }
      return outcome(records.keepFirst(resultPlace, body.run(key)), key);
    }
  }

  private static ToolOutcome outcome(String recorded, String key) {
    return recorded.equals(RunKeys.outcomeUnknown(key))
        ? new ToolOutcome.Unknown(key)
        : new ToolOutcome.Result(recorded);
  }

  /** Records how far the loop is. */
  public void iteration(long seq, long index) {
    String unused =
        once(seq, EventKind.EVENT_KIND_ITERATION, idempotencyKey -> RunKeys.iteration(index));
  }

  /** The highest index that {@link #iteration} recorded in any life of the run; empty: none. */
  public OptionalLong lastIteration() {
    GetLastIterationRequest request = GetLastIterationRequest.newBuilder().setRunId(runId).build();
    GetLastIterationResponse last = calls.answer(() -> timed().getLastIteration(request));
    return last.hasIndex() ? OptionalLong.of(last.getIndex()) : OptionalLong.empty();
  }

  /**
   * Appends to this run under its claim without waiting for each event, for what is only recorded
   * and not asked for again in this life: {@link #once} does not look at what the writer appends,
   * so give it places of its own. Whoever opens it closes it, before the memo.
   */
  public RunEventWriterBuilder writer() {
    return new RunEventWriterBuilder(transport, runId).claimId(claimId);
  }

  /** Binds a checkpoint of the files, which a resume restores before it replays. */
  public void checkpoint(String checkpointId) {
    SetCheckpointRequest request =
        SetCheckpointRequest.newBuilder()
            .setRunId(runId)
            .setClaimId(claimId)
            .setCheckpointId(checkpointId)
            .build();
    var unused = calls.answer(() -> timed().setCheckpoint(request));
  }

  /**
   * Closes the run: it is not resumed any more, and its claim ends.
   *
   * @param outcome {@code done}, {@code succeeded}, {@code failed}, {@code cancelled}, or a word of
   *     the caller's, which counts as done
   */
  public void finish(String outcome) {
    CloseRunRequest request =
        CloseRunRequest.newBuilder()
            .setRunId(runId)
            .setClaimId(claimId)
            .setOutcome(outcome)
            .build();
    close();
    var unused = calls.answer(() -> timed().closeRun(request));
  }

  private RunJournalServiceBlockingStub timed() {
    return journal.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private Object lockOf(long seq) {
    return places.computeIfAbsent(seq, place -> new Object());
  }

  private void requireHeld() {
    if (lease != null) {
      lease.requireHeld();
    }
  }

  /** Lets go of the run: its lease runs out, and another may claim it. */
  @Override
  public void close() {
    if (lease != null) {
      lease.close();
    }
  }
}
