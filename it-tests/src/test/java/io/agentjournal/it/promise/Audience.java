package io.agentjournal.it.promise;

import io.agentjournal.client.JournalClient;
import io.agentjournal.it.client.UnreliableNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A follower for each submission, all over one network that is cut all the time. */
final class Audience implements AutoCloseable {
  private static final long LONGEST_PEACE_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  private final UnreliableNetwork network;
  private final JournalClient journal;
  private final List<Follower> followers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final Random random;
  private final Thread cutting = new Thread(this::cut, "cutting");
  private volatile boolean ended;

  Audience(int serverPort, long seed) {
    this.network = new UnreliableNetwork(serverPort);
    this.journal =
        JournalClient.to(network.target())
            .plaintext()
            .deadline(Duration.ofSeconds(5))
            .retry(Duration.ofMillis(200), Duration.ofMinutes(5))
            .build();
    this.random = new Random(seed);
    cutting.setDaemon(true);
    cutting.start();
  }

  void follow(String submissionId) {
    Follower follower = new Follower(journal, submissionId);
    Thread thread = new Thread(follower, "follower of " + submissionId);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((failed, why) -> failed(why));
    followers.add(follower);
    threads.add(thread);
    thread.start();
  }

  private synchronized void failed(Throwable why) {
    failures.add(why);
  }

  private void cut() {
    while (!ended) {
      LockSupport.parkNanos(random.nextLong(LONGEST_PEACE_NANOS));
      if (random.nextBoolean()) {
        network.cut();
      } else {
        network.reset();
      }
    }
  }

  /** Blocks until all have seen their submission's end. */
  List<Follower> awaitEnd(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    for (Thread thread : threads) {
      TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
      if (thread.isAlive()) {
        throw new AssertionError(thread.getName() + " has not come to its end");
      }
    }
    synchronized (this) {
      for (Throwable failure : failures) {
        throw new AssertionError("a follower failed", failure);
      }
    }
    return followers;
  }

  /** How often it was connected. */
  int connections() {
    return network.accepted();
  }

  @Override
  public void close() {
    ended = true;
    try (network) {
      journal.close();
    }
  }
}
