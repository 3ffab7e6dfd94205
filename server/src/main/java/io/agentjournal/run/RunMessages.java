package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.ListInterruptedRunsRequest;
import io.agentjournal.v1.ListRunsRequest;
import io.agentjournal.v1.OpenRunRequest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs to and from messages. */
final class RunMessages {
  private RunMessages() {}

  static RunOpening opening(Namespace namespace, OpenRunRequest request) {
    ByteString metadata = request.getMetadataJsonBytes();
    return new RunOpening(
        new RunId(namespace, request.getRunId()),
        request.getAgent(),
        request.getTask(),
        request.hasCheckpointId() ? request.getCheckpointId() : null,
        metadata.isEmpty() ? RunOpening.NO_METADATA : metadata,
        newClaimOrNull(request));
  }

  private static @Nullable NewClaim newClaimOrNull(OpenRunRequest request) {
    if (!request.getClaimId().isEmpty()) {
      return newClaim(request.getClaimId(), request.getLease());
    }
    if (request.hasLease()) {
      throw InvalidField.because("lease", "without claim_id");
    }
    return null;
  }

  static NewClaim newClaim(String claimId, LeaseRequest lease) {
    return new NewClaim(claimId, lease.getOwner(), leaseDuration(lease));
  }

  static Duration leaseDuration(LeaseRequest lease) {
    return NewClaim.checkLease(
        lease.hasDuration()
            ? Times.duration("lease.duration", lease.getDuration())
            : NewClaim.DEFAULT_LEASE);
  }

  /** Null: the call is in nobody's name. */
  static @Nullable String claimId(String message) {
    return message.isEmpty() ? null : Identifier.check("claim_id", message);
  }

  static String outcome(String message) {
    return message.isEmpty()
        ? "done"
        : Identifier.checkText("outcome", message, Identifier.MAX_BYTES);
  }

  static RunQuery query(Namespace namespace, ListRunsRequest request) {
    RunStatus status =
        switch (request.getStatus()) {
          case RUN_STATUS_UNSPECIFIED -> null;
          case RUN_STATUS_RUNNING -> RunStatus.RUNNING;
          case RUN_STATUS_DONE -> RunStatus.DONE;
          case RUN_STATUS_SUCCEEDED -> RunStatus.SUCCEEDED;
          case RUN_STATUS_FAILED -> RunStatus.FAILED;
          case RUN_STATUS_CANCELLED -> RunStatus.CANCELLED;
          case UNRECOGNIZED ->
              throw InvalidField.ofValue(
                  "status", Integer.toString(request.getStatusValue()), "unknown");
        };
    String list = "runs " + namespace.name() + " " + (status == null ? "" : status.name());
    return new RunQuery(namespace, status, false, PageRequest.of(list, request.getPage()));
  }

  static RunQuery query(Namespace namespace, ListInterruptedRunsRequest request) {
    String list = "interrupted runs " + namespace.name();
    PageRequest page = PageRequest.of(list, request.getPage());
    return new RunQuery(namespace, RunStatus.RUNNING, true, page);
  }

  /**
   * An opened run.
   *
   * @param since {@link System#nanoTime} before the transaction that read it: what has passed since
   *     is taken from what is left of the lease
   */
  static io.agentjournal.v1.Run from(Run run, long since) {
    io.agentjournal.v1.Run.Builder message =
        io.agentjournal.v1.Run.newBuilder()
            .setRunId(run.id().id())
            .setAgent(run.agent())
            .setTask(run.task())
            .setStatus(io.agentjournal.v1.RunStatus.valueOf("RUN_STATUS_" + run.status()))
            .setMetadataJsonBytes(run.metadata())
            .setCreatedAt(Times.message(run.createdAt()))
            .setUpdatedAt(Times.message(run.updatedAt()));
    if (run.outcome() != null) {
      message.setOutcome(run.outcome());
    }
    if (run.checkpointId() != null) {
      message.setCheckpointId(run.checkpointId());
    }
    Claim claim = run.fence().claim();
    if (claim != null) {
      message.setClaimId(claim.claimId()).setLease(lease(claim, since));
    }
    return message.build();
  }

  static List<io.agentjournal.v1.Run> from(RunPage page, long since) {
    return page.runs().stream().map(run -> from(run, since)).toList();
  }

  private static Lease lease(Claim claim, long since) {
    Duration remaining = claim.remaining().minusNanos(System.nanoTime() - since);
    return Lease.newBuilder()
        .setOwner(claim.owner())
        .setExpiresAt(Times.message(claim.expiresAt()))
        .setRemaining(Times.message(remaining))
        .build();
  }

  /** Empty: nothing follows. */
  static String nextPageToken(RunQuery query, RunPage page) {
    if (!page.hasMore()) {
      return "";
    }
    Run last = page.runs().get(page.runs().size() - 1);
    return query.page().tokenAfter(RunQuery.Place.of(last).text());
  }
}
