package io.agentjournal.segment;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.segment.StreamWriter.ByAttempt;
import io.agentjournal.segment.StreamWriter.ByEpoch;
import io.agentjournal.segment.StreamWriter.Unnamed;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.StreamOpen;

/** The stream that an append call names, and as whom it writes. */
record OpenedStream(StreamKey key, StreamWriter writer, String contentType) {
  private static final int MAX_CONTENT_TYPE_BYTES = 256;

  static OpenedStream of(Namespace namespace, StreamOpen open) {
    return new OpenedStream(
        new StreamKey(namespace, open.getStreamKey()),
        switch (open.getWriterCase()) {
          case ATTEMPT -> new ByAttempt(attempt(namespace, open.getAttempt()));
          case WRITER_EPOCH -> new ByEpoch(open.getWriterEpoch());
          case WRITER_NOT_SET -> new Unnamed();
        },
        open.getContentType().isEmpty()
            ? ""
            : Identifier.check("content_type", open.getContentType(), MAX_CONTENT_TYPE_BYTES));
  }

  static AttemptId attempt(Namespace namespace, AttemptRef attempt) throws InvalidField {
    return new AttemptId(
        new SubmissionId(namespace, attempt.getSubmissionId()), attempt.getAttemptId());
  }
}
