package io.agentjournal.turn;

import io.agentjournal.slot.TurnJournal;

/**
 * The answer of a call that changes the slot.
 *
 * @param applied false: it was a repeat
 */
record Changed(boolean applied, TurnJournal journal) {}
