/**
 * A session's row and its tree of entries, as every transaction that appends to a transcript needs
 * them. The calls of SessionService are in {@code io.agentjournal.session}, above submissions,
 * which decide who may move the leaf.
 */
@NullMarked
package io.agentjournal.transcript;

import org.jspecify.annotations.NullMarked;
