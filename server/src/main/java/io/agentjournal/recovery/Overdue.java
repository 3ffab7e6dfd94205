package io.agentjournal.recovery;

import io.agentjournal.key.SubmissionId;
import java.time.Instant;

/**
 * A submission that runs and may be taken over.
 *
 * @param attemptId who holds it
 * @param since when its lease ended, or its requested recovery was due
 */
record Overdue(SubmissionId submission, String queue, String attemptId, Instant since) {}
