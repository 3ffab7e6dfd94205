package io.agentjournal.submission;

import io.agentjournal.key.Identifier;
import io.agentjournal.payload.Payload;

/**
 * The answer to a wait.
 *
 * @param by the answerer's own word for itself; may be empty
 */
record Answer(String waitId, Payload payload, String by) {
  Answer {
    Identifier.check("wait_id", waitId);
    Identifier.checkText("answered_by", by, Identifier.MAX_BYTES);
  }
}
