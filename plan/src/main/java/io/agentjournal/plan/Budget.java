package io.agentjournal.plan;

/** What is left of a submission's attempts and time, for whoever asks. */
public enum Budget {
  LEFT,
  ATTEMPTS_SPENT,
  TIME_SPENT
}
