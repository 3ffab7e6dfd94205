package io.agentjournal.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far a submission's current turn got: one record for each phase, with what counts in it. */
public sealed interface Turn {

  /** The model was not asked yet. */
  record BeforeProvider() implements Turn {}

  /**
   * The model was asked.
   *
   * @param consumed the attempt has said that it consumed the response whole
   * @param nextIndex segments [0, nextIndex) are stored
   */
  record ProviderStarted(String streamKey, Response response, long nextIndex, boolean consumed)
      implements Turn {}

  /**
   * The model's answer is whole and asks for tools.
   *
   * @param requestLeafId the leaf after the assistant's message; null: the session had no entry
   */
  record ToolRequestRecorded(List<Call> calls, @Nullable String requestLeafId) implements Turn {
    public ToolRequestRecorded {
      calls = List.copyOf(calls);
    }
  }

  /**
   * The turn is frozen.
   *
   * @param isFinal declared the last turn of the submission
   * @param committedLeafId null: the session had no entry
   */
  record Committed(boolean isFinal, @Nullable String committedLeafId) implements Turn {}

  /** The state of the stream that the model's response lands in. */
  enum Response {
    OPEN,
    COMPLETE,
    FAILED,
    /** Deleted, or not there at all. */
    GONE
  }

  record Call(String toolCallId, String name, Progress progress, boolean restartSafe) {}

  /** How far a tool call got. */
  enum Progress {
    RECORDED,
    STARTED,
    RESULT
  }
}
