package io.agentjournal.admin;

import java.time.Instant;

/**
 * What the database tells of itself.
 *
 * @param schemaVersion the number of the last migration
 * @param time its clock
 */
public record DatabaseFacts(int schemaVersion, Instant time) {}
