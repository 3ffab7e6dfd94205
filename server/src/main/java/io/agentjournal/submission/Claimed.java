package io.agentjournal.submission;

import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.slot.TurnJournal;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt got hold of and what it is to do.
 *
 * @param applied false: it held the submission already
 * @param journal null: no turn was begun yet
 */
public record Claimed(
    boolean applied, Submission submission, @Nullable TurnJournal journal, RecoveryPlan plan) {}
