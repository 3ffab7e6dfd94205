package io.agentjournal.it.promise;

import io.agentjournal.it.agent.Model;
import io.agentjournal.it.agent.Prompt;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.Segment;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Says the script, at more than the speed of tokens, and has everything that it is asked noted. */
final class ScriptedModel implements Model {
  private static final long MILLIS_PER_TOKEN = 5;

  private final Outside outside;
  private final Boundaries boundaries;

  ScriptedModel(Outside outside, Boundaries boundaries) {
    this.outside = outside;
    this.boundaries = boundaries;
  }

  @Override
  public Iterator<Segment> ask(Prompt prompt) {
    String askId = UUID.randomUUID().toString();
    int from = prompt.said().size();
    outside.asked(new Outside.Ask(Outside.nowMicros(), askId, prompt.turn().getStreamKey(), from));
    boundaries.reach(Boundaries.MODEL_ASKED);
    int step = step(prompt.conversation());
    return new Saying(prompt.turn().getSubmissionId(), step, askId, from);
  }

  /** How often it has spoken since the last message of the user. */
  private static int step(List<Entry> conversation) {
    int step = 0;
    for (Entry entry : conversation) {
      switch (entry.getKind()) {
        case "user" -> step = 0;
        case "assistant" -> step++;
        default -> {}
      }
    }
    return step;
  }

  private final class Saying implements Iterator<Segment> {
    private final String submissionId;
    private final int step;
    private final String askId;
    private int index;

    Saying(String submissionId, int step, String askId, int from) {
      this.submissionId = submissionId;
      this.step = step;
      this.askId = askId;
      this.index = from;
    }

    @Override
    public boolean hasNext() {
      return index < Script.length(step);
    }

    @Override
    public Segment next() {
      try {
        TimeUnit.MILLISECONDS.sleep(MILLIS_PER_TOKEN);
      } catch (InterruptedException e) {
        // The writer notices.
        Thread.currentThread().interrupt();
      }
      if (index == Script.length(step) / 2) {
        boundaries.reach(Boundaries.MODEL_IN_THE_MIDDLE);
      }
      return Script.segment(submissionId, step, index++, askId);
    }
  }
}
