package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import org.jspecify.annotations.Nullable;

/**
 * How a stream is to be ended from outside of an append.
 *
 * @param ending null: by force, whoever writes the stream
 */
record SealRequest(StreamKey key, StreamWriter writer, @Nullable StreamEnding ending) {}
