package io.agentjournal.it.agent;

import io.agentjournal.v1.Segment;
import java.util.Iterator;

/** Whatever answers. Called on the worker's threads; asking it costs money. */
public interface Model {
  /**
   * The response as it comes, from the first segment that the prompt has not: text, or {@link
   * Response#toolCall}. Blocks while the model thinks; what it throws ends the handler.
   */
  Iterator<Segment> ask(Prompt prompt);
}
