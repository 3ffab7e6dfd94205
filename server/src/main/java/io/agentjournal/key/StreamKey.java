package io.agentjournal.key;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The name of a stream and the bucket that its rows live in. */
public record StreamKey(Namespace namespace, String key, int bucket) {
  /** Bytes of UTF-8: a minted key holds three ids, percent-encoded. */
  public static final int MAX_BYTES = 2_048;

  /** Fixed for ever: it is part of every stream's primary key. */
  public static final int BUCKETS = 64;

  public StreamKey(Namespace namespace, String key) {
    this(namespace, Identifier.check("stream_key", key, MAX_BYTES), bucketOf(namespace, key));
  }

  public StreamKey {
    if (bucket != bucketOf(namespace, key)) {
      throw new IllegalArgumentException("bucket " + bucket + " of " + key);
    }
  }

  /**
   * The key of a turn's stream: submission_id:turn_id:attempt_id, "%" and ":" inside the ids
   * percent-encoded so that no two turns share a key.
   */
  public static StreamKey ofTurn(AttemptId attempt, String turnId) {
    return new StreamKey(
        attempt.namespace(), Identifier.joined(attempt.submission().id(), turnId, attempt.id()));
  }

  private static int bucketOf(Namespace namespace, String key) {
    CRC32C hash = new CRC32C();
    hash.update(namespace.name().getBytes(StandardCharsets.UTF_8));
    hash.update(0);
    hash.update(key.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % BUCKETS);
  }
}
