package io.agentjournal.slot;

import com.google.protobuf.ByteString;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.StreamKey;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a turn, in the slot while it is the current one and among the earlier turns
 * afterwards: one record for each transition that it made. A call repeats a transition exactly when
 * its own record equals the stored one.
 */
public record TurnFacts(
    String turnId,
    long revision,
    Phase phase,
    Begun begun,
    Instant begunAt,
    @Nullable Started started,
    @Nullable Consumed consumed,
    @Nullable Instant consumedAt,
    @Nullable Requested requested,
    @Nullable Committed committed,
    @Nullable Instant committedAt) {

  /**
   * The stream of a turn in which the model was asked.
   *
   * @param attempt an attempt on the turn's submission
   */
  public StreamKey requireStreamKey(AttemptId attempt) {
    return new StreamKey(
        attempt.namespace(),
        Objects.requireNonNull(started, "the model was not asked").streamKey());
  }

  public record Begun(String attemptId, String operationId) {}

  public record Started(String attemptId, String streamKey, String contentType) {}

  public record Consumed(String attemptId) {}

  /**
   * The tool request.
   *
   * @param callsSha256 of the calls and all that they carry
   * @param checkpointLeafId the leaf that the attempt worked from; null: before the first entry
   * @param requestLeafId the leaf right after the assistant's message; null: there is no entry
   */
  public record Requested(
      String attemptId,
      ByteString callsSha256,
      @Nullable String checkpointLeafId,
      @Nullable String requestLeafId) {}

  /**
   * The commit.
   *
   * @param leafId the leaf after the turn's output; null: there is no entry
   * @param isFinal declared the last turn of the submission
   */
  public record Committed(String attemptId, @Nullable String leafId, boolean isFinal) {}
}
