package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.StreamDeleted;
import io.agentjournal.refusal.Refusal.StreamEnded;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;

/** Ends streams from outside of an append. Thread-safe; every method blocks. */
final class SealStore {
  private static final String SEALED = "sealed";

  private final Transactions transactions;
  private final StreamHeads heads;
  private final FlushRows rows = new FlushRows(OptionalInt.empty());

  SealStore(Transactions transactions, StreamHeads heads) {
    this.transactions = transactions;
    this.heads = heads;
  }

  /**
   * @param head after the call
   * @param applied whether this call ended the stream
   */
  record Sealed(Head head, boolean applied) {}

  /** As the stream's writer, judged as an append's end is. */
  Sealed seal(StreamKey key, StreamWriter writer, StreamEnding ending) {
    return transactions.run(
        "seal stream",
        connection -> {
          Head locked = lock(connection, key);
          if (locked.isBound() && ending.expectedNextIndex() == null) {
            throw InvalidField.because("end.expected_next_index", "missing for a bound stream");
          }
          HeadDecision decision = new HeadDecision(key, locked, Long.MAX_VALUE);
          Head sealed = decision.seal(writer, ending);
          boolean ends = sealed.state() != locked.state();
          if (decision.isChanged()) {
            rows.change(connection, key, sealed, ends);
            heads.notice(connection, key, sealed);
          }
          return new Sealed(sealed, ends);
        });
  }

  /** Whoever writes the stream: it becomes FAILED. */
  Sealed force(StreamKey key) {
    return transactions.run(
        "seal stream by force",
        connection -> {
          Head locked = lock(connection, key);
          return switch (locked.state()) {
            case OPEN -> {
              heads.end(connection, key, locked, StreamState.FAILED, SEALED);
              yield new Sealed(
                  locked.ended(new StreamEnding(StreamState.FAILED, SEALED, null, null, null)),
                  true);
            }
            case DELETED -> throw new StreamDeleted(key.key());
            case COMPLETE, FAILED, SUPERSEDED -> {
              if (!SEALED.equals(locked.finishReason()) || locked.state() != StreamState.FAILED) {
                throw new StreamEnded(
                    key.key(), locked.state().name(), locked.nextIndex(), locked.finishReason());
              }
              yield new Sealed(locked, false);
            }
          };
        });
  }

  private Head lock(Connection connection, StreamKey key) throws SQLException {
    Head locked = heads.lock(connection, key);
    if (locked == null) {
      throw new StreamNotFound(key.key());
    }
    return locked;
  }
}
