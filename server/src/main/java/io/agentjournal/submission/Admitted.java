package io.agentjournal.submission;

import org.jspecify.annotations.Nullable;

/**
 * What became of an admission.
 *
 * @param submission null: only the receipt is left of it
 */
record Admitted(boolean applied, @Nullable Submission submission, Receipt receipt) {}
