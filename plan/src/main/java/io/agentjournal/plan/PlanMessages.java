package io.agentjournal.plan;

import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.StreamPlan;
import io.agentjournal.v1.ToolPlan;
import io.agentjournal.v1.ToolVerdict;

/** Plans as messages. */
public final class PlanMessages {
  private PlanMessages() {}

  public static io.agentjournal.v1.RecoveryPlan from(RecoveryPlan plan) {
    io.agentjournal.v1.RecoveryPlan.Builder message =
        io.agentjournal.v1.RecoveryPlan.newBuilder()
            .setAction(RecoveryAction.valueOf("RECOVERY_ACTION_" + plan.action().name()))
            .setBecause(plan.because());
    RecoveryPlan.Stream stream = plan.stream();
    if (stream != null) {
      message.setStream(
          StreamPlan.newBuilder()
              .setStreamKey(stream.streamKey())
              .setNextIndex(stream.nextIndex())
              .setOpen(stream.open()));
    }
    for (RecoveryPlan.Tool tool : plan.tools()) {
      message.addTools(
          ToolPlan.newBuilder()
              .setToolCallId(tool.toolCallId())
              .setName(tool.name())
              .setVerdict(ToolVerdict.valueOf("TOOL_VERDICT_" + tool.verdict().name())));
    }
    if (plan.leafId() != null) {
      message.setLeafId(plan.leafId());
    }
    return message.build();
  }
}
