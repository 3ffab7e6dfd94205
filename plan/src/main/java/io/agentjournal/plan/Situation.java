package io.agentjournal.plan;

import org.jspecify.annotations.Nullable;

/**
 * All that a plan depends on: stored facts, the database's time and who asks.
 *
 * @param heldByAnother leased to another than who asks, the lease alive and no recovery due; or
 *     recovery asked for and not yet due
 * @param waiting for answers, or for a time that has not come
 * @param budget for the holder, what is left of this attempt; for others, whether there could be
 *     another
 * @param turn what the slot says; null: no turn was begun
 */
public record Situation(
    boolean settled,
    boolean heldByAnother,
    boolean abortRequested,
    Budget budget,
    boolean waiting,
    boolean inputApplied,
    @Nullable Turn turn) {}
