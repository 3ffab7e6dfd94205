package io.agentjournal.transcript;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What became of an append.
 *
 * @param applied false: there was nothing to store, or all of it was stored already
 * @param session the session after it, still locked
 * @param leafIdBefore the session's leaf before it; null: it had none
 */
public record AppendedEntries(
    boolean applied, LockedSession session, @Nullable String leafIdBefore) {

  /** The session's leaf after it; null: it has none. */
  public @Nullable String leafId() {
    return session.leafId();
  }

  public boolean movedLeaf() {
    return !Objects.equals(leafIdBefore, leafId());
  }
}
