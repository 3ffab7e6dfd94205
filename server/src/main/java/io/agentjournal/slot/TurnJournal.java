package io.agentjournal.slot;

import java.util.List;

/**
 * The slot with the calls of its turn, as answers show it.
 *
 * @param argumentsOmitted together they are larger than {@link #MAX_INLINE_ARGUMENT_BYTES}
 */
public record TurnJournal(Slot slot, List<ToolCall> calls, boolean argumentsOmitted) {
  /** Arguments of all calls of a turn together, in a unary answer. */
  public static final int MAX_INLINE_ARGUMENT_BYTES = 256 << 10;

  public TurnJournal {
    calls = List.copyOf(calls);
  }
}
