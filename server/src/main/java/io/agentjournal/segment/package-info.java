/**
 * Streams of segments. A call ({@code AppendCall}, {@code PutSegments}) turns messages into
 * batches; a lane commits what waits for many streams in one transaction; readers are served from
 * the table and, at the end of it, from what lanes publish after their commits.
 */
@NullMarked
package io.agentjournal.segment;

import org.jspecify.annotations.NullMarked;
