package io.agentjournal.transcript;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it was read, without its payload.
 *
 * @param parentId null: it is a root
 */
public record Entry(
    String entryId,
    long entryNumber,
    @Nullable String parentId,
    long depth,
    String kind,
    int payloadBytes,
    @Nullable String submissionId,
    @Nullable String turnId,
    @Nullable String toolCallId,
    Instant createdAt) {}
