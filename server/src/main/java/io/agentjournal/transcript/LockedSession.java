package io.agentjournal.transcript;

import io.agentjournal.key.SessionKey;
import org.jspecify.annotations.Nullable;

/**
 * A session's row under its lock: it stands until the transaction ends, or until this transaction
 * changes it.
 *
 * @param leafId null: no entry yet, or rewound before the first
 * @param entryCount also the number that the next entry gets
 */
public record LockedSession(
    SessionKey key, @Nullable String leafId, long entryCount, boolean isDeleting) {}
