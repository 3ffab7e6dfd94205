package io.agentjournal.client;

import io.agentjournal.v1.ClaimRunRequest;
import io.agentjournal.v1.ClaimRunResponse;
import io.agentjournal.v1.OpenRunRequest;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How a run is opened, new or for its next life. */
public final class RunMemoBuilder {
  private static final long DEADLINE_SECONDS = 60;

  private final JournalTransport transport;
  private final OpenRunRequest.Builder request;
  private @Nullable RunClaim claim;

  RunMemoBuilder(JournalTransport transport, String runId) {
    this.transport = transport;
    this.request = OpenRunRequest.newBuilder().setRunId(runId);
  }

  /** Counts when the run is new. */
  public RunMemoBuilder agent(String agent) {
    request.setAgent(agent);
    return this;
  }

  /** Counts when the run is new. */
  public RunMemoBuilder task(String task) {
    request.setTask(task);
    return this;
  }

  /** JSON text. Counts when the run is new. */
  public RunMemoBuilder metadata(String metadataJson) {
    request.setMetadataJson(metadataJson);
    return this;
  }

  /** Replaces the one that is stored. */
  public RunMemoBuilder checkpoint(String checkpointId) {
    request.setCheckpointId(checkpointId);
    return this;
  }

  /**
   * Claims the run under a lease, which is renewed until the memo is closed: whoever wrote to the
   * run before cannot any more. Without a claim nobody is shut out.
   *
   * @param owner a name of the process or pod, for people
   * @param lease 1 s to 1 h: how long after this process's death the run waits for another
   */
  public RunMemoBuilder claim(String owner, Duration lease) {
    this.claim = new RunClaim(owner, lease);
    return this;
  }

  /**
   * Blocks.
   *
   * @throws JournalException RUN_CLAIMED: somebody else is at it
   */
  public RunMemo open() {
    if (claim != null) {
      request.setClaimId(claim.id()).setLease(claim.request());
    }
    OpenRunRequest opening = request.build();
    long askedAt = System.nanoTime();
    Run run =
        new RepeatedCall(transport).answer(() -> journal(transport).openRun(opening)).getRun();
    return memo(transport, run, claim, askedAt);
  }

  /** Claims the oldest run that was left behind. */
  static Optional<RunMemo> oldest(JournalTransport transport, RunClaim claim) {
    ClaimRunRequest request =
        ClaimRunRequest.newBuilder().setClaimId(claim.id()).setLease(claim.request()).build();
    long askedAt = System.nanoTime();
    ClaimRunResponse claimed =
        new RepeatedCall(transport).answer(() -> journal(transport).claimRun(request));
    return claimed.hasRun()
        ? Optional.of(memo(transport, claimed.getRun(), claim, askedAt))
        : Optional.empty();
  }

  private static RunJournalServiceBlockingStub journal(JournalTransport transport) {
    return RunJournalServiceGrpc.newBlockingStub(transport.calls())
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static RunMemo memo(
      JournalTransport transport, Run run, @Nullable RunClaim claim, long askedAt) {
    RunLease lease =
        claim == null
            ? null
            : new RunLease(transport, run.getRunId(), claim, run.getLease(), askedAt);
    String claimId = claim == null ? "" : claim.id();
    RunMemo memo = new RunMemo(transport, run.getRunId(), claimId, lease);
    memo.start();
    return memo;
  }
}
