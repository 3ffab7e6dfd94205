package io.agentjournal.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RecoveryPlan of plan.proto.
 *
 * @param because the rule that decided and its facts, for people
 * @param stream with REPLAY_STREAM, CONTINUE_STREAM and CALL_MODEL_AGAIN
 * @param tools with FINISH_TOOLS: one for each recorded call, in order
 * @param leafId null: the session's leaf as it is
 */
public record RecoveryPlan(
    Action action,
    String because,
    @Nullable Stream stream,
    List<Tool> tools,
    @Nullable String leafId) {
  public RecoveryPlan {
    tools = List.copyOf(tools);
  }

  static RecoveryPlan of(Action action, String because) {
    return new RecoveryPlan(action, because, null, List.of(), null);
  }

  /**
   * Where the model's response is stored.
   *
   * @param open whoever holds the submission may append at nextIndex
   */
  public record Stream(String streamKey, long nextIndex, boolean open) {}

  public record Tool(String toolCallId, String name, Verdict verdict) {}
}
