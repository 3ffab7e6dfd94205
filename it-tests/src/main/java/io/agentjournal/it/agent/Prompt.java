package io.agentjournal.it.agent;

import io.agentjournal.v1.Entry;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.TurnJournal;
import java.util.List;

/**
 * What a model is asked.
 *
 * @param turn for which turn, and under which attempt
 * @param conversation root first
 * @param said what is stored of its response already: it is to go on there
 */
public record Prompt(TurnJournal turn, List<Entry> conversation, List<Segment> said) {
  public Prompt {
    conversation = List.copyOf(conversation);
    said = List.copyOf(said);
  }
}
