package io.agentjournal.admin;

import java.time.Instant;
import java.util.Map;

/**
 * What a server knows of itself from its start on.
 *
 * @param startedAt by the database's clock
 * @param limits in bytes, counts or milliseconds, as their names say
 */
public record ServerFacts(String version, Instant startedAt, Map<String, Long> limits) {
  public ServerFacts {
    limits = Map.copyOf(limits);
  }
}
