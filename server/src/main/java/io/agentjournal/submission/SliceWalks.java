package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.submission.RecoveryRequestStore.RecoveryWish;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes to many submissions, a slice of them in each transaction, so that none keeps locks for
 * long. A walk that ends early has done its first slices; the same call again does the rest.
 * Thread-safe; every method blocks.
 */
final class SliceWalks {
  private final Transactions transactions;
  private final SubmissionStores stores;

  SliceWalks(Transactions transactions, SubmissionStores stores) {
    this.transactions = transactions;
    this.stores = stores;
  }

  /** The ids of those that this stamped. */
  List<String> abortSession(SessionKey key, String reason) {
    List<String> stamped = new ArrayList<>();
    long below = Long.MAX_VALUE;
    while (below > 0) {
      long start = below;
      AbortStore.Slice slice =
          transactions.run(
              "RequestAbort", tx -> stores.aborts().abortSlice(tx, key, start, reason));
      stamped.addAll(slice.stamped());
      below = slice.lowestSequence();
    }
    return stamped;
  }

  /** The ids of those that this stamped. */
  List<String> requestRecovery(Namespace namespace, String owner, RecoveryWish wish) {
    List<String> stamped = new ArrayList<>();
    @Nullable String after = "";
    while (after != null) {
      String start = after;
      RecoveryRequestStore.Slice slice =
          transactions.run(
              "RequestRecovery",
              tx -> stores.recoveryRequests().sliceOfOwner(tx, namespace, owner, start, wish));
      stamped.addAll(slice.stamped());
      after = slice.lastId();
    }
    return stamped;
  }
}
