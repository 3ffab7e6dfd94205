package io.agentjournal.rpc;

import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.v1.Page;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which page of a list is asked for. Its tokens are opaque and good on every server; one of another
 * list, or one that no server minted, is refused.
 *
 * @param list the list's name with all that selects its rows, so that a token fits this list only
 * @param size how many rows at most
 * @param after the key of the row before the page, as given to {@link #tokenAfter}; null: from the
 *     start
 */
public record PageRequest(String list, int size, @Nullable String after) {
  private static final int DEFAULT_SIZE = 100;
  public static final int MAX_SIZE = 1_000;

  /**
   * The page that a caller asks for.
   *
   * @throws InvalidField size or token
   */
  public static PageRequest of(String list, Page page) {
    int size = page.hasSize() ? page.getSize() : DEFAULT_SIZE;
    if (size < 1 || size > MAX_SIZE) {
      throw InvalidField.ofValue("page.size", Integer.toString(size), "not 1 to 1,000");
    }
    String token = page.getToken();
    return new PageRequest(list, size, token.isEmpty() ? null : after(list, token));
  }

  /** The token of the page that follows the row with this key. */
  public String tokenAfter(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    ByteBuffer token = ByteBuffer.allocate(Integer.BYTES + bytes.length);
    token.putInt(checksum(list, bytes)).put(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
  }

  private static String after(String list, String token) {
    ByteBuffer decoded = decode(token);
    if (decoded.remaining() < Integer.BYTES) {
      throw notOurs();
    }
    int checksum = decoded.getInt();
    byte[] key = new byte[decoded.remaining()];
    decoded.get(key);
    if (checksum != checksum(list, key)) {
      throw notOurs();
    }
    return new String(key, StandardCharsets.UTF_8);
  }

  private static ByteBuffer decode(String token) {
    try {
      return ByteBuffer.wrap(Base64.getUrlDecoder().decode(token));
    } catch (IllegalArgumentException e) {
      throw notOurs();
    }
  }

  private static InvalidField notOurs() {
    return InvalidField.because("page.token", "not a token of this list");
  }

  private static int checksum(String list, byte[] key) {
    CRC32C checksum = new CRC32C();
    checksum.update(list.getBytes(StandardCharsets.UTF_8));
    checksum.update(0);
    checksum.update(key);
    return (int) checksum.getValue();
  }
}
