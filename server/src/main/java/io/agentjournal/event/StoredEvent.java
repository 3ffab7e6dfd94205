package io.agentjournal.event;

import com.google.protobuf.ByteString;
import io.agentjournal.key.StreamKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the event list.
 *
 * @param streamIndex where the stream that is told of stood at the event, open before and after it;
 *     null: it had ended
 * @param opened the stream that the event opened; null: it opened none
 * @param message in wire form
 */
record StoredEvent(
    long number,
    Instant at,
    @Nullable Long streamIndex,
    @Nullable StreamKey opened,
    ByteString message) {}
