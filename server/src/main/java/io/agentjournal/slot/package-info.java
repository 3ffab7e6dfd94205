/**
 * The turn journal as it is stored: one slot for each submission, the earlier turns, and the tool
 * calls of each turn. The rules of who may change it and how are in {@code io.agentjournal.turn}.
 */
@NullMarked
package io.agentjournal.slot;

import org.jspecify.annotations.NullMarked;
