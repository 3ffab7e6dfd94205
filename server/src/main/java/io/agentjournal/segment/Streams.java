package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.segment.DeletionStore.Marked;
import io.agentjournal.segment.SealStore.Sealed;
import java.util.List;

/**
 * What is asked and done about streams as a whole. Followers here are told of each change after its
 * commit; those elsewhere find its notice. Thread-safe; every method blocks.
 */
public final class Streams {
  private static final int DELETED_PER_LOOK = 100;

  private final StreamStore store;
  private final SealStore seals;
  private final DeletionStore deletions;
  private final StreamChanges changes;

  public Streams(Transactions transactions, StreamChanges changes) {
    StreamHeads heads = new StreamHeads();
    this.store = new StreamStore(transactions);
    this.seals = new SealStore(transactions, heads);
    this.deletions = new DeletionStore(transactions, heads);
    this.changes = changes;
  }

  StoredStream get(StreamKey key) {
    return store.get(key).orElseThrow(() -> new StreamNotFound(key.key()));
  }

  /** One more than the page holds, if there is one more. */
  List<StoredStream> page(StreamSelection selection, PageRequest page) {
    String after = page.after();
    return store.page(selection, after == null ? "" : after, page.size() + 1);
  }

  /** Answers whether this call ended the stream. */
  boolean seal(SealRequest request) {
    StreamEnding ending = request.ending();
    Sealed sealed =
        ending == null
            ? seals.force(request.key())
            : seals.seal(request.key(), request.writer(), ending);
    changes.published(sealed.head(), List.of());
    return sealed.applied();
  }

  /**
   * Answers whether this call deleted the stream. A repeated one still removes what is left of it.
   */
  boolean delete(StreamKey key) {
    Marked marked = deletions.mark(key);
    changes.published(marked.head(), List.of());
    deletions.removeSegments(key.bucket(), marked.head().streamId());
    return marked.applied();
  }

  /**
   * Deletes all streams of a submission that is settled, those of earlier turns included. What is
   * deleted already stays so: to be called again after a crash.
   */
  public void deleteOfSubmission(SubmissionId submission) {
    StreamSelection all =
        new StreamSelection(
            submission.namespace(), submission.id(), "", StreamSelection.allButDeleted());
    for (List<StoredStream> left = store.page(all, "", DELETED_PER_LOOK);
        !left.isEmpty();
        left = store.page(all, "", DELETED_PER_LOOK)) {
      left.forEach(stream -> delete(new StreamKey(submission.namespace(), stream.key())));
    }
  }
}
