package io.agentjournal.submission;

import io.agentjournal.slot.TurnJournal;
import org.jspecify.annotations.Nullable;

/**
 * A submission and what it is doing.
 *
 * @param journal null: no turn was begun yet
 */
public record Overview(Submission submission, @Nullable TurnJournal journal) {}
