package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import io.agentjournal.submission.WorkRows.Counts;
import io.agentjournal.submission.WorkRows.Wanted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Wakes the workers' calls of this server that wait for something to do: as many as there are
 * submissions that they may have, the longest waiting first. One statement tells for all of them,
 * however many they are. Thread-safe.
 */
final class WorkWatch implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final Transactions transactions;
  private final WorkRows rows = new WorkRows();
  private final Polling<Idle> polling;

  WorkWatch(Transactions transactions) {
    this.transactions = transactions;
    this.polling = new Polling<>("work-watch", INTERVAL, this::wanted);
  }

  /** A call that waits. */
  interface Idle extends Polling.Waiting {
    NextClaim claim();
  }

  /** The call is woken once: by work, when its time is over, or when the server goes away. */
  void await(Idle call) {
    polling.add(call);
  }

  /** For one that was cancelled. */
  void forget(Idle call) {
    polling.remove(call);
  }

  /** Something was done here that may have made work. */
  void lookNow() {
    polling.lookNow();
  }

  boolean hasEnded() {
    return polling.hasEnded();
  }

  /** From now on nobody waits any more. Does not block. */
  void end() {
    polling.end();
  }

  private record Queue(Namespace namespace, String name) {}

  /** What is left to be given away of a queue. */
  private static final class Left {
    private int queued;
    private int recoverable;

    Left(Counts counts) {
      this.queued = counts.queued();
      this.recoverable = counts.recoverable();
    }

    boolean takeFor(NextClaim claim) {
      if (claim.wantsRecoverable() && recoverable > 0) {
        recoverable--;
        return true;
      }
      if (claim.wantsQueued() && queued > 0) {
        queued--;
        return true;
      }
      return false;
    }
  }

  private List<Idle> wanted(List<Idle> calls) {
    Map<Queue, Left> left = count(calls);
    List<Idle> wanted = new ArrayList<>();
    for (Idle call : calls) {
      NextClaim claim = call.claim();
      boolean isWanted =
          claim.queues().stream()
              .anyMatch(
                  name -> {
                    Left ofQueue = left.get(new Queue(claim.namespace(), name));
                    return ofQueue != null && ofQueue.takeFor(claim);
                  });
      if (isWanted) {
        wanted.add(call);
      }
    }
    return wanted;
  }

  private Map<Queue, Left> count(List<Idle> calls) {
    Map<Queue, Integer> waiting = new HashMap<>();
    for (Idle call : calls) {
      NextClaim claim = call.claim();
      claim
          .queues()
          .forEach(name -> waiting.merge(new Queue(claim.namespace(), name), 1, Integer::sum));
    }
    List<Wanted> wanted = new ArrayList<>();
    waiting.forEach((queue, most) -> wanted.add(new Wanted(queue.namespace(), queue.name(), most)));
    List<Counts> counts = transactions.readOnly("watch for work", tx -> rows.count(tx, wanted));
    Map<Queue, Left> left = new HashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      left.put(
          new Queue(wanted.get(i).namespace(), wanted.get(i).queue()), new Left(counts.get(i)));
    }
    return left;
  }

  @Override
  public void close() {
    polling.close();
  }
}
