package io.agentjournal.recovery;

import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.submission.Submission;

/** A submission that may be taken over, and what whoever takes it is to do. */
record Recoverable(Submission submission, RecoveryPlan plan) {}
