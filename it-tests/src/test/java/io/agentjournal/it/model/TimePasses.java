package io.agentjournal.it.model;

/** Something of a submission comes to its end without any call. */
record TimePasses(What what, String submissionId) implements Step {
  /** What is over. */
  enum What {
    LEASE,
    TIMEOUT,
    /** Before which nobody may have it; and for which answers are waited. */
    DELAY,
    /** In which leases are renewed although an abort is requested. */
    ABORT_GRACE
  }

  @Override
  public String toString() {
    return what + " of " + submissionId + " is over";
  }
}
