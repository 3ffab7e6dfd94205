package io.agentjournal.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An append on its way through a lane. A call's own trouble does not become that of its lane. */
record WaitingAppend(RunAppend append, AppendAnswer answer) {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingAppend.class);

  void appended(Appended appended) {
    guarded(() -> answer.appended(appended));
  }

  void failed(Throwable failure) {
    guarded(() -> answer.failed(failure));
  }

  private void guarded(Runnable told) {
    try {
      told.run();
    } catch (RuntimeException e) {
      LOG.error("An append to {} was not answered", append.run(), e);
    }
  }
}
