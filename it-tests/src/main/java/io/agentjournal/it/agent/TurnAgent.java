package io.agentjournal.it.agent;

import io.agentjournal.client.ClaimedSubmission;
import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SubmissionHandler;
import io.agentjournal.client.WorkOutcome;

/** Does submissions turn by turn, with a model and tools. Thread-safe, if these are. */
public final class TurnAgent implements SubmissionHandler {
  private final JournalClient journal;
  private final Model model;
  private final Tools tools;

  public TurnAgent(JournalClient journal, Model model, Tools tools) {
    this.journal = journal;
    this.model = model;
    this.tools = tools;
  }

  @Override
  public WorkOutcome handle(ClaimedSubmission claimed) throws Exception {
    TurnCalls calls = new TurnCalls(journal, claimed);
    new Turns(claimed, calls, model, tools).run();
    return WorkOutcome.done();
  }
}
