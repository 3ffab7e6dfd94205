package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import java.time.Duration;

/**
 * Told what becomes of leases, one call after the other, on a thread of the client. Must not block.
 */
public interface LeaseListener {
  /**
   * The attempt does not hold its submission any more, or nobody could be asked until its lease ran
   * out: stop at once, another may have begun. The keeper has let go of it. Once for each attempt.
   */
  void lost(AttemptRef attempt, JournalException why);

  /**
   * Somebody asks to stop the submission; the lease is kept for 60 s more. Once for each attempt.
   */
  default void abortRequested(AttemptRef attempt, String reason) {}

  /**
   * The lease is not renewed any more, past the submission's timeout or after an abort: so much is
   * left to settle in, then comes {@link #lost}. Once for each attempt.
   */
  default void runsOut(AttemptRef attempt, Duration left) {}
}
