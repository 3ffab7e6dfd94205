package io.agentjournal.it.model;

import java.util.List;

/** The guards of streams. */
final class StreamGuards {
  private StreamGuards() {}

  static List<Guard> all() {
    return List.of(
        Guard.of(
            "the fence of segments",
            "segment/WriterFence",
            "if (!head.isWrittenBy(named.attempt())) {",
            "if (head.submissionId() == null) {"),
        Guard.of(
            "a take-over gives the open stream to the next attempt",
            "submission/SlotHandover",
            "stream == null ? null : streams.repointIfOpen(connection, stream, next.id())",
            "stream == null ? null : streams.lockIndexIfOpen(connection, stream)"),
        Guard.of(
            "an open stream has no writer while its submission waits",
            "submission/WaitStore",
            "streams.repointIfOpen(connection, stream, null)",
            "streams.lockIndexIfOpen(connection, stream)"),
        Guard.of(
            "a lower epoch is shut out",
            "segment/WriterFence",
            "if (epoch == null || epoch < current) {",
            "if (epoch == null) {"),
        Guard.of(
            "no attempt writes a stream that stands alone",
            "segment/WriterFence",
            "if (writer instanceof ByAttempt) {",
            "if (writer instanceof ByAttempt && head.nextIndex() < 0) {"),
        Guard.of(
            "a stored segment stays",
            "segment/HeadDecision",
            "if (equal < overlap) {",
            "if (equal < 0) {"),
        Guard.of(
            "no segment after the end",
            "segment/HeadDecision",
            "    if (head.state() != StreamState.OPEN) {\n      throw ended();\n    }\n",
            ""),
        Guard.of(
            "no hole between segments",
            "segment/HeadDecision",
            "if (batch.firstIndex() > head.nextIndex()) {",
            "if (batch.firstIndex() < 0) {"),
        Guard.of(
            "the segments that the stream's writer expects",
            "segment/HeadDecision",
            "ending.expectedNextIndex() != null && ending.expectedNextIndex() != head.nextIndex()",
            "ending.expectedNextIndex() != null && ending.expectedNextIndex() < 0"),
        Guard.of(
            "a stream ends once",
            "segment/HeadDecision",
            "} else if (!ending.isAlreadyEndOf(head)) {",
            "} else if (head.state() == StreamState.DELETED) {"),
        Guard.of(
            "a stream in use is not deleted",
            "segment/DeletionStore",
            "if (lock(connection, LOCK_SLOT, key, submissionId).equals(key.key())) {",
            "if (lock(connection, LOCK_SLOT, key, submissionId).equals(submissionId)) {"));
  }
}
