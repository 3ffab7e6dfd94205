package io.agentjournal.submission;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A digest of a list of values, each preceded by its length so that no two lists run together. */
public final class Sha256 {
  private final MessageDigest digest;

  public Sha256() {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has it", e);
    }
  }

  public Sha256 text(String value) {
    return bytes(ByteString.copyFrom(value, StandardCharsets.UTF_8));
  }

  public Sha256 bytes(ByteString value) {
    number(value.size());
    value.asReadOnlyByteBufferList().forEach(digest::update);
    return this;
  }

  public Sha256 number(long value) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
    return this;
  }

  public ByteString digest() {
    return UnsafeByteOperations.unsafeWrap(digest.digest());
  }
}
