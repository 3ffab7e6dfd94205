package io.agentjournal.submission;

import com.google.protobuf.ByteString;
import io.agentjournal.key.SubmissionId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What outlives a submission.
 *
 * @param outcome null: not settled, as is settledAt
 */
record Receipt(
    SubmissionId id,
    String sessionKey,
    @Nullable Outcome outcome,
    Instant admittedAt,
    @Nullable Instant settledAt,
    ByteString admissionSha256) {}
