package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.RunId;
import io.agentjournal.payload.JsonText;
import io.agentjournal.refusal.Refusal.TooLarge;
import org.jspecify.annotations.Nullable;

/**
 * What opens a run. Agent, task and metadata count the first time only.
 *
 * @param checkpointId null: keeps what is stored; empty is a value
 * @param metadata JSON text
 * @param claim null: the run is not claimed
 */
record RunOpening(
    RunId id,
    String agent,
    String task,
    @Nullable String checkpointId,
    ByteString metadata,
    @Nullable NewClaim claim) {
  static final ByteString NO_METADATA = ByteString.copyFromUtf8("{}");
  private static final int MAX_TASK_BYTES = 16 << 10;
  private static final int MAX_METADATA_BYTES = 1 << 20;

  RunOpening {
    Identifier.checkText("agent", agent, Identifier.MAX_BYTES);
    Identifier.checkText("task", task, MAX_TASK_BYTES);
    if (checkpointId != null) {
      checkCheckpoint(checkpointId);
    }
    if (metadata.size() > MAX_METADATA_BYTES) {
      throw new TooLarge("metadata_json", metadata.size(), MAX_METADATA_BYTES);
    }
    JsonText.check("metadata_json", metadata);
  }

  static String checkCheckpoint(String checkpointId) {
    return checkpointId.isEmpty() ? checkpointId : Identifier.check("checkpoint_id", checkpointId);
  }
}
