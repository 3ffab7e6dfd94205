package io.agentjournal.it.promise;

import io.agentjournal.it.agent.Tools;
import io.agentjournal.v1.ToolCall;

/** Tools whose effects are seen from outside. */
final class FileTools implements Tools {
  private final Outside outside;
  private final Boundaries boundaries;

  FileTools(Outside outside, Boundaries boundaries) {
    this.outside = outside;
    this.boundaries = boundaries;
  }

  @Override
  public String run(ToolCall call) {
    String effect = call.getArguments().toStringUtf8();
    boundaries.reach(Boundaries.TOOL_CALLED);
    if (call.getName().equals(Script.PUT)) {
      outside.takeEffectOnce(effect);
    } else {
      outside.takeEffect(effect);
    }
    boundaries.reach(Boundaries.TOOL_DONE);
    return effect;
  }
}
