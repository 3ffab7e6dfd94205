package io.agentjournal.key;

import io.agentjournal.refusal.Refusal.InvalidField;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The rules for ids and short texts of callers, checked before anything else is done with them. */
public final class Identifier {
  /** Bytes of UTF-8. */
  public static final int MAX_BYTES = 512;

  private Identifier() {}

  /**
   * Answers the value if it is an id: 1 to {@link #MAX_BYTES} bytes without control characters.
   *
   * @throws InvalidField naming the field, the value's size and the limit
   */
  public static String check(String field, String value) {
    return check(field, value, MAX_BYTES);
  }

  /** As {@link #check(String, String)} with another limit in bytes. */
  public static String check(String field, String value, int maxBytes) {
    int size = sizeOf(value);
    if (size == 0 || size > maxBytes) {
      throw InvalidField.ofSize(field, size, maxBytes);
    }
    for (int i = 0; i < value.length(); i++) {
      if (Character.isISOControl(value.charAt(i))) {
        throw InvalidField.because(field, "control character at position " + i);
      }
    }
    return value;
  }

  /**
   * Answers a text for people, which may be empty and may have line breaks, but no NUL
   * (PostgreSQL's text has none).
   */
  public static String checkText(String field, String value, int maxBytes) {
    int size = sizeOf(value);
    if (size > maxBytes) {
      throw InvalidField.ofSize(field, size, maxBytes);
    }
    int nul = value.indexOf('\0');
    if (nul >= 0) {
      throw InvalidField.because(field, "NUL at position " + nul);
    }
    return value;
  }

  /**
   * Ids as one key: colons between them, "%" and ":" inside them percent-encoded, so that no two
   * lists of ids share a key.
   */
  public static String joined(String... ids) {
    return Arrays.stream(ids)
        .map(id -> id.replace("%", "%25").replace(":", "%3A"))
        .collect(Collectors.joining(":"));
  }

  private static int sizeOf(String value) {
    return value.getBytes(StandardCharsets.UTF_8).length;
  }
}
