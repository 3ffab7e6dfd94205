package io.agentjournal.submission;

/** How an attempt ended; AttemptEnd of submission.proto, without its prefix. */
public enum AttemptEnd {
  SETTLED,
  EXPIRED,
  HANDED_OVER,
  REPLACED,
  REQUEUED,
  SUSPENDED,
  GIVEN_BACK
}
