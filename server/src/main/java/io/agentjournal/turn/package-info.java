/**
 * The turn journal's calls. {@link TurnJournalService} makes records of messages; the stores judge
 * and write, each call in one transaction. {@link LockedTurn} has the judgements that they share.
 */
@NullMarked
package io.agentjournal.turn;

import org.jspecify.annotations.NullMarked;
