package io.agentjournal.it.demo;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.StoredSegment;
import io.agentjournal.v1.ReadEnd;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A user's page: follows the response from its first token to its end, whatever dies meanwhile. */
final class Follower {
  private static final int LINE_LENGTH = 64;

  private final Timeline timeline;
  private final JournalClient client;
  private final StringBuilder text = new StringBuilder();
  private final AtomicLong seen = new AtomicLong();
  private final CompletableFuture<ReadEnd> ended = new CompletableFuture<>();
  private int shown;

  Follower(Timeline timeline, JournalClient client) {
    this.timeline = timeline;
    this.client = client;
    Thread thread = new Thread(this::follow, "follower");
    thread.setDaemon(true);
    thread.start();
  }

  private void follow() {
    try (SegmentReader reader =
        client.reader(Script.STREAM).follow().waitForStream(Duration.ofMinutes(1)).open()) {
      while (reader.hasNext()) {
        show(reader.next());
      }
      showLine(text.length());
      ended.complete(reader.end());
    } catch (RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }

  private void show(StoredSegment segment) {
    if (segment.index() != seen.get()) {
      throw new IllegalStateException(
          "token " + segment.index() + " came where " + seen + " was expected");
    }
    text.append(segment.text());
    seen.incrementAndGet();
    if (text.length() - shown >= LINE_LENGTH) {
      showLine(text.length());
    }
  }

  private void showLine(int end) {
    if (end > shown) {
      timeline.text("follower", text.substring(shown, end).strip());
      shown = end;
    }
  }

  /** How many tokens it has shown. */
  long seen() {
    return seen.get();
  }

  ReadEnd awaitEnd(Duration atMost) throws InterruptedException {
    try {
      return ended.get(atMost.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the follower did not see the end", e);
    }
  }

  /** What it has shown; to be asked after the end. */
  String text() {
    return text.toString();
  }
}
