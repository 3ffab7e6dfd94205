package io.agentjournal.key;

/**
 * The keys that begin with a text, as a range for an index. Keys are compared by their bytes of
 * UTF-8, which is the order of code points.
 *
 * @param text empty: all keys
 */
public record KeyPrefix(String text, int maxKeyBytes) {
  public KeyPrefix {
    if (!text.isEmpty()) {
      Identifier.check("key_prefix", text, maxKeyBytes);
    }
  }

  /** The least text that is above all keys with the prefix. */
  public String end() {
    String prefix = text;
    while (!prefix.isEmpty()) {
      int last = prefix.codePointBefore(prefix.length());
      prefix = prefix.substring(0, prefix.length() - Character.charCount(last));
      if (last < Character.MAX_CODE_POINT) {
        // Surrogates are no characters of their own.
        int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        return prefix + Character.toString(next);
      }
    }
    return behindAll();
  }

  /** No character is higher, and no key is as long. */
  private String behindAll() {
    return Character.toString(Character.MAX_CODE_POINT).repeat(maxKeyBytes / 4 + 1);
  }
}
