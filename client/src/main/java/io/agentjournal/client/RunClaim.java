package io.agentjournal.client;

import io.agentjournal.v1.LeaseRequest;
import java.time.Duration;
import java.util.UUID;

/** What a run is claimed with. A new one for each claim: its id is used once. */
record RunClaim(String id, String owner, Duration lease) {
  RunClaim(String owner, Duration lease) {
    this(UUID.randomUUID().toString(), owner, lease);
  }

  LeaseRequest request() {
    return LeaseRequest.newBuilder()
        .setOwner(owner)
        .setDuration(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(lease.getSeconds())
                .setNanos(lease.getNano()))
        .build();
  }
}
