package io.agentjournal.submission;

import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal.TooLarge;
import java.util.List;
import java.util.UUID;

/**
 * What a worker asks for: whatever it may have next.
 *
 * @param callId tells this call from a retry of it
 */
record NextClaim(
    Namespace namespace,
    String attemptId,
    LeaseGrant lease,
    List<String> queues,
    Source source,
    String callId) {
  private static final int MAX_QUEUES = 100;

  NextClaim(
      Namespace namespace, String attemptId, LeaseGrant lease, List<String> queues, Source source) {
    this(namespace, attemptId, lease, queues, source, UUID.randomUUID().toString());
  }

  NextClaim {
    Identifier.check("attempt_id", attemptId);
    if (queues.size() > MAX_QUEUES) {
      throw new TooLarge("queues", queues.size(), MAX_QUEUES);
    }
    queues =
        queues.isEmpty()
            ? List.of(NewSubmission.DEFAULT_QUEUE)
            : queues.stream().map(queue -> Identifier.check("queues", queue)).distinct().toList();
  }

  /** ClaimSource of submission.proto, without its prefix. */
  enum Source {
    ANY,
    QUEUED,
    RECOVERABLE
  }

  boolean wantsQueued() {
    return source != Source.RECOVERABLE;
  }

  boolean wantsRecoverable() {
    return source != Source.QUEUED;
  }
}
