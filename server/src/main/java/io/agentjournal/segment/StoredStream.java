package io.agentjournal.segment;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Everything that is stored of a stream but its segments. */
public record StoredStream(
    Head head,
    String key,
    @Nullable String turnId,
    String contentType,
    Instant openedAt,
    @Nullable Instant lastSegmentAt,
    @Nullable Instant endedAt) {}
