package io.agentjournal.it.model;

import java.util.List;

/** A part of the model: equal to another one when all that it knows is. */
abstract class ModelState {
  /** All that it knows. */
  abstract List<Object> facts();

  @Override
  public final boolean equals(Object other) {
    return other instanceof ModelState state
        && getClass() == state.getClass()
        && facts().equals(state.facts());
  }

  @Override
  public final int hashCode() {
    return facts().hashCode();
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + facts();
  }
}
