package io.agentjournal.recovery;

import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.Submission;
import org.jspecify.annotations.Nullable;

/**
 * The answer of PlanRecovery.
 *
 * @param journal null: no turn was begun
 * @param withoutLease the plan if the lease ended now
 */
record Planned(
    Submission submission,
    @Nullable TurnJournal journal,
    RecoveryPlan plan,
    RecoveryPlan withoutLease) {}
