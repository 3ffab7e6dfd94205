package io.agentjournal.event;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;

/** What a watch is about. */
sealed interface WatchTarget {
  Namespace namespace();

  /** Of no other target in the namespace. */
  String name();

  record OfSubmission(SubmissionId submission) implements WatchTarget {
    @Override
    public Namespace namespace() {
      return submission.namespace();
    }

    @Override
    public String name() {
      return "submission " + submission.id();
    }
  }

  /** One submission after the other, in the order of admission. */
  record OfSession(SessionKey session) implements WatchTarget {
    @Override
    public Namespace namespace() {
      return session.namespace();
    }

    @Override
    public String name() {
      return "session " + session.key();
    }
  }
}
