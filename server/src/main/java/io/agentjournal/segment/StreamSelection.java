package io.agentjournal.segment;

import io.agentjournal.key.Identifier;
import io.agentjournal.key.KeyPrefix;
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

  /** The least key that is above all with the prefix. */
  String prefixEnd() {
    return new KeyPrefix(keyPrefix, StreamKey.MAX_BYTES).end();
  }
}
