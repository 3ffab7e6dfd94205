package io.agentjournal.segment;

import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which streams a list holds.
 *
 * @param submissionId null: any, or none
 * @param keyPrefix empty: any
 */
record StreamSelection(
    Namespace namespace, @Nullable String submissionId, String keyPrefix, Set<StreamState> states) {
  /** Sorts behind every key: no character is higher, and no key is as long. */
  private static final String BEHIND_ALL =
      Character.toString(Character.MAX_CODE_POINT).repeat(StreamKey.MAX_BYTES / 4 + 1);

  StreamSelection {
    if (submissionId != null) {
      Identifier.check("submission_id", submissionId);
    }
    if (!keyPrefix.isEmpty()) {
      Identifier.check("key_prefix", keyPrefix, StreamKey.MAX_BYTES);
    }
    states = Set.copyOf(states);
  }

  /** Unless a state is named, deleted streams are left out. */
  static Set<StreamState> allButDeleted() {
    return EnumSet.complementOf(EnumSet.of(StreamState.DELETED));
  }

  /** The list's name: what selects its rows, so that page tokens fit no other. */
  String listName() {
    return String.join(
        "\0",
        "streams",
        namespace.name(),
        submissionId == null ? "" : submissionId,
        keyPrefix,
        EnumSet.copyOf(states).toString());
  }

  /**
   * The least key that is above all with the prefix. Keys are compared by their bytes of UTF-8,
   * which is the order of code points.
   */
  String prefixEnd() {
    String prefix = keyPrefix;
    while (!prefix.isEmpty()) {
      int last = prefix.codePointBefore(prefix.length());
      prefix = prefix.substring(0, prefix.length() - Character.charCount(last));
      if (last < Character.MAX_CODE_POINT) {
        // Surrogates are no characters of their own.
        int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        return prefix + Character.toString(next);
      }
    }
    return BEHIND_ALL;
  }
}
