package io.agentjournal.it.model;

import java.util.List;

/** The locks under which everything else is judged: only calls that meet miss them. */
final class LockGuards {
  private LockGuards() {}

  static List<Guard> all() {
    return List.of(
        Guard.of(
            "the lock of the session",
            "transcript/SessionRows",
            "WHERE namespace = ? AND session_key = ?\n         FOR UPDATE\n",
            "WHERE namespace = ? AND session_key = ?\n"),
        Guard.of(
            "the lock of the submission",
            "submission/SubmissionRows",
            "LOCK_FOR_UPDATE = FIND + \" FOR UPDATE\"",
            "LOCK_FOR_UPDATE = FIND"),
        Guard.of(
            "the lock of a submission that is claimed",
            "submission/SubmissionStore",
            "LOCK = FIND + \" FOR UPDATE\"",
            "LOCK = FIND"),
        Guard.of(
            "the shared lock of the submission",
            "submission/SubmissionRows",
            "LOCK_FOR_SHARE = FIND + \" FOR SHARE\"",
            "LOCK_FOR_SHARE = FIND"),
        Guard.of(
            "the lock of the slot",
            "slot/SlotRows",
            "LOCK = FIND + \" FOR UPDATE\"",
            "LOCK = FIND"),
        Guard.of(
            "the lock of the stream",
            "segment/StreamHeads",
            "LOCK = FIND + \" FOR NO KEY UPDATE\"",
            "LOCK = FIND"));
  }
}
