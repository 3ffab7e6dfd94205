package io.agentjournal.run;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.ClaimUsed;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.RunNotFound;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one run. Each is one transaction that locks the run's row, judges the call (an
 * exact repeat, then the claim, then the status) and does it. Thread-safe; blocks.
 */
final class RunStore {
  private static final int CANDIDATES = 20;

  private final Transactions transactions;
  private final RunRows rows = new RunRows();
  private final RunListRows lists = new RunListRows();

  RunStore(Transactions transactions) {
    this.transactions = transactions;
  }

  RunChange open(RunOpening opening) {
    return transactions.run(
        "open_run",
        connection -> {
          RunId id = opening.id();
          Run before = rows.lockOrCreate(connection, id);
          if (isRepeat(before, opening)) {
            return new RunChange(false, before);
          }
          requireClaimable(before, opening.claim());
          if (before.isOpened()) {
            rows.reopen(connection, id, opening.checkpointId());
          } else {
            rows.open(connection, opening);
          }
          if (opening.claim() != null && !before.isHeldBy(opening.claim())) {
            claimOnce(connection, id, opening.claim());
          }
          return changed(connection, id);
        });
  }

  private static boolean isRepeat(Run run, RunOpening opening) {
    boolean sameCheckpoint =
        opening.checkpointId() == null || opening.checkpointId().equals(run.checkpointId());
    boolean sameClaim =
        opening.claim() == null ? run.fence().claim() == null : run.isHeldBy(opening.claim());
    return run.isRunning() && sameCheckpoint && sameClaim;
  }

  /** Without a claim of its own the call is a write like any other. */
  private static void requireClaimable(Run run, @Nullable NewClaim claim) {
    if (claim == null) {
      run.fence().requireWritableBy(null);
    } else if (run.hasLiveClaim() && !run.isHeldBy(claim)) {
      throw run.fence().claimed();
    }
  }

  RunChange setCheckpoint(RunId id, String checkpointId, @Nullable String claimId) {
    return transactions.run(
        "set_checkpoint",
        connection -> {
          Run before = lockOpened(connection, id);
          before.fence().requireWritableBy(claimId);
          if (checkpointId.equals(before.checkpointId())) {
            return new RunChange(false, before);
          }
          rows.setCheckpoint(connection, id, checkpointId);
          return changed(connection, id);
        });
  }

  RunChange close(RunId id, String outcome, @Nullable String claimId) {
    return transactions.run(
        "close_run",
        connection -> {
          Run before = lockOpened(connection, id);
          before.fence().requireWritableBy(claimId);
          if (!before.isRunning() && outcome.equals(before.outcome())) {
            return new RunChange(false, before);
          }
          rows.close(connection, id, outcome);
          return changed(connection, id);
        });
  }

  Run get(RunId id) {
    return transactions.readOnly("get_run", connection -> opened(id, rows.find(connection, id)));
  }

  RunChange claim(RunId id, NewClaim claim) {
    return transactions.run(
        "claim_run",
        connection -> {
          Run before = lockOpened(connection, id);
          if (before.isHeldBy(claim)) {
            return new RunChange(false, before);
          }
          if (before.hasLiveClaim()) {
            throw before.fence().claimed();
          }
          requireRunning(before);
          claimOnce(connection, id, claim);
          return changed(connection, id);
        });
  }

  /**
   * Claims the oldest interrupted run, or answers what this claim holds already; empty: nothing is
   * interrupted. Candidates are found without locks and taken one by one, each in a transaction of
   * its own that looks again.
   */
  Optional<RunChange> claimOldest(Namespace namespace, NewClaim claim) {
    Optional<Run> held =
        transactions.readOnly(
            "claimed_run",
            connection -> Optional.ofNullable(lists.heldBy(connection, namespace, claim)));
    if (held.isPresent()) {
      return held.map(run -> new RunChange(false, run));
    }
    Set<String> notToBeHad = new HashSet<>();
    while (true) {
      List<RunId> candidates =
          transactions.readOnly(
              "interrupted_runs",
              connection -> lists.oldestInterrupted(connection, namespace, notToBeHad, CANDIDATES));
      if (candidates.isEmpty()) {
        return Optional.empty();
      }
      for (RunId candidate : candidates) {
        Optional<RunChange> taken = take(candidate, claim);
        if (taken.isPresent()) {
          return taken;
        }
        notToBeHad.add(candidate.id());
      }
    }
  }

  private Optional<RunChange> take(RunId id, NewClaim claim) {
    return transactions.run(
        "claim_oldest_run",
        connection -> {
          Run before = rows.lock(connection, id);
          if (before == null || !before.isInterrupted() || !rows.claim(connection, id, claim)) {
            return Optional.empty();
          }
          return Optional.of(changed(connection, id));
        });
  }

  Run renew(RunId id, String claimId, Duration lease) {
    return transactions.run(
        "renew_run_lease",
        connection -> {
          boolean renewed = rows.renew(connection, id, claimId, lease);
          Run run = opened(id, rows.find(connection, id));
          if (renewed) {
            return run;
          }
          run.fence().requireWritableBy(claimId);
          requireRunning(run);
          // Closed and reopened without a claim: the one that is named has ended.
          throw run.fence().claimed();
        });
  }

  void delete(RunId id, @Nullable String claimId) {
    transactions.run(
        "delete_run",
        connection -> {
          Run run = rows.lock(connection, id);
          if (run == null) {
            throw new RunNotFound(id.id());
          }
          run.fence().requireWritableBy(claimId);
          rows.delete(connection, id);
          return run;
        });
  }

  RunPage list(RunQuery query) {
    return transactions.readOnly("list_runs", connection -> lists.page(connection, query));
  }

  private Run lockOpened(Connection connection, RunId id) throws SQLException {
    return opened(id, rows.lock(connection, id));
  }

  private static Run opened(RunId id, @Nullable Run run) {
    if (run == null || !run.isOpened()) {
      throw new RunNotFound(id.id());
    }
    return run;
  }

  private static void requireRunning(Run run) {
    if (!run.isRunning()) {
      throw new IllegalPhase(run.status().name(), RunStatus.RUNNING.name());
    }
  }

  private void claimOnce(Connection connection, RunId id, NewClaim claim) throws SQLException {
    if (!rows.claim(connection, id, claim)) {
      throw new ClaimUsed(id.id(), claim.claimId());
    }
  }

  private RunChange changed(Connection connection, RunId id) throws SQLException {
    return new RunChange(true, opened(id, rows.find(connection, id)));
  }
}
