package io.agentjournal.session;

import io.agentjournal.key.SessionKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session as it was read.
 *
 * @param leafId null: no entry yet, or rewound before the first
 * @param activeSubmissionId the head of its queue; null: all of its submissions are settled
 * @param deletingSince null: it is not being deleted
 */
record Session(
    SessionKey key,
    @Nullable String leafId,
    long entryCount,
    long sizeBytes,
    @Nullable String activeSubmissionId,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant deletingSince) {}
