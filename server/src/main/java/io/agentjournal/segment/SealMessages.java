package io.agentjournal.segment;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.segment.StreamWriter.ByAttempt;
import io.agentjournal.segment.StreamWriter.ByEpoch;
import io.agentjournal.segment.StreamWriter.Unnamed;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SealStreamRequest.WriterCase;

/** What SealStream is asked. */
final class SealMessages {
  private SealMessages() {}

  static SealRequest request(Namespace namespace, SealStreamRequest message) {
    StreamKey key = new StreamKey(namespace, message.getStreamKey());
    StreamWriter writer =
        switch (message.getWriterCase()) {
          case ATTEMPT -> new ByAttempt(OpenedStream.attempt(namespace, message.getAttempt()));
          case WRITER_EPOCH -> new ByEpoch(message.getWriterEpoch());
          case WRITER_NOT_SET -> new Unnamed();
        };
    if (!message.getForce()) {
      if (!message.hasEnd()) {
        throw InvalidField.because("end", "missing without force");
      }
      return new SealRequest(key, writer, AppendMessages.ending(message.getEnd()));
    }
    if (message.getWriterCase() != WriterCase.WRITER_NOT_SET) {
      throw InvalidField.because("writer", "not beside force");
    }
    if (message.hasEnd()) {
      throw InvalidField.because("end", "not beside force");
    }
    return new SealRequest(key, writer, null);
  }
}
