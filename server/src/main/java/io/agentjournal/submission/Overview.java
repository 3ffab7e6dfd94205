package io.agentjournal.submission;

import io.agentjournal.segment.StoredStream;
import io.agentjournal.slot.TurnJournal;
import org.jspecify.annotations.Nullable;

/**
 * A submission and what it is doing.
 *
 * @param journal null: no turn was begun yet
 * @param stream of the slot; null: it names none
 */
record Overview(
    Submission submission, @Nullable TurnJournal journal, @Nullable StoredStream stream) {}
