package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Gives a submission's slot to the attempt that holds the submission from now on, unless its turn
 * is committed; and the slot's stream, if it is open, which stays so: the attempt may append at its
 * next index. For a transaction that holds the submission's lock. Stateless and thread-safe.
 */
final class SlotHandover {
  private final SlotRows slots;
  private final StreamHeads streams;

  SlotHandover(SlotRows slots, StreamHeads streams) {
    this.slots = slots;
    this.streams = streams;
  }

  /** Answers where the stream stands; null: none is open. */
  @Nullable Long to(Connection connection, AttemptId next) throws SQLException {
    Slot slot = slots.lock(connection, next.submission());
    if (slot == null || slot.phase() == Phase.COMMITTED) {
      return null;
    }
    slots.repointUncommitted(connection, next.submission(), next.id());
    StreamKey stream = slot.streamKey();
    return stream == null ? null : streams.repointIfOpen(connection, stream, next.id());
  }
}
