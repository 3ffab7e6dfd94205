package io.agentjournal.it.agent;

import io.agentjournal.client.ClaimedSubmission;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolPlan;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.ToolVerdict;
import io.agentjournal.v1.TurnJournal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One submission, from wherever it stands to its end. Every step is stored before the next one
 * begins, so that whoever comes after this process does none of them again:
 *
 * <ol>
 *   <li>the input joins the transcript;
 *   <li>a turn is begun, the model asked, and what it says stored token by token;
 *   <li>asks it for tools, the request is stored, each tool's start, each tool's result; then the
 *       turn is committed, and the next one begun;
 *   <li>else the answer is stored and the submission settled.
 * </ol>
 */
final class Turns {
  private final ClaimedSubmission claimed;
  private final TurnCalls calls;
  private final Model model;
  private final Tools tools;

  Turns(ClaimedSubmission claimed, TurnCalls calls, Model model, Tools tools) {
    this.claimed = claimed;
    this.calls = calls;
    this.model = model;
    this.tools = tools;
  }

  void run() throws Exception {
    RecoveryPlan plan = claimed.plan();
    TurnJournal turn =
        switch (plan.getAction()) {
          case RECOVERY_ACTION_APPLY_INPUT -> {
            calls.applyInput();
            yield calls.begin();
          }
          case RECOVERY_ACTION_BEGIN_TURN -> calls.begin();
          case RECOVERY_ACTION_CALL_MODEL -> calls.start(current());
          case RECOVERY_ACTION_CONTINUE_STREAM, RECOVERY_ACTION_CALL_MODEL_AGAIN ->
              // A stream that has failed takes nothing more: its turn is begun anew.
              plan.getStream().getOpen() ? current() : calls.begin();
          case RECOVERY_ACTION_REPLAY_STREAM -> current();
          case RECOVERY_ACTION_FINISH_TOOLS -> {
            finishTools(current(), verdicts(plan));
            yield calls.begin();
          }
          default -> throw new IllegalStateException("not for a handler: " + plan);
        };
    while (true) {
      Response response = response(turn);
      if (response.toolCalls().isEmpty()) {
        calls.settle(turn, response);
        return;
      }
      finishTools(calls.requestTools(turn, response), Map.of());
      turn = calls.begin();
    }
  }

  private TurnJournal current() {
    return Objects.requireNonNull(claimed.journal());
  }

  /** What is stored, and what is missing from the model: nothing, if it is stored whole. */
  private Response response(TurnJournal turn) throws InterruptedException {
    TurnCalls.Stored stored = calls.read(turn.getStreamKey());
    List<Segment> segments = new ArrayList<>(stored.segments());
    if (!stored.isWhole()) {
      try (SegmentWriter writer = calls.writer(turn)) {
        Prompt prompt = new Prompt(turn, calls.conversation(), segments);
        claimed.requireHeld();
        for (Iterator<Segment> rest = model.ask(prompt); rest.hasNext(); ) {
          Segment segment = rest.next();
          long unused =
              segment.hasText()
                  ? writer.append(segment.getText())
                  : writer.append(segment.getData());
          segments.add(segment);
        }
        writer.finish("stop");
      }
    }
    return new Response(segments);
  }

  private static Map<String, ToolVerdict> verdicts(RecoveryPlan plan) {
    Map<String, ToolVerdict> verdicts = new HashMap<>();
    for (ToolPlan tool : plan.getToolsList()) {
      verdicts.put(tool.getToolCallId(), tool.getVerdict());
    }
    return verdicts;
  }

  /**
   * @param verdicts of the plan, on calls that another one may have begun; none: not started
   */
  private void finishTools(TurnJournal turn, Map<String, ToolVerdict> verdicts) throws Exception {
    for (ToolCall call : turn.getCallsList()) {
      switch (verdicts.getOrDefault(call.getToolCallId(), ToolVerdict.TOOL_VERDICT_NOT_STARTED)) {
        case TOOL_VERDICT_HAS_RESULT -> {}
        case TOOL_VERDICT_OUTCOME_UNKNOWN ->
            calls.toolEnded(
                turn, call, ToolResultKind.TOOL_RESULT_KIND_INTERRUPTED, "outcome unknown");
        default -> {
          // Refused to whoever has lost the submission: the tool is not run then.
          calls.toolStarts(turn, call);
          claimed.requireHeld();
          String result = tools.run(call);
          calls.toolEnded(turn, call, ToolResultKind.TOOL_RESULT_KIND_OK, result);
        }
      }
    }
    calls.commit(turn);
  }
}
