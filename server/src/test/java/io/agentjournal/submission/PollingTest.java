package io.agentjournal.submission;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.Polling.Waiting;
import io.agentjournal.testing.Wait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PollingTest {
  private static final Duration INTERVAL = Duration.ofMillis(10);

  private static final class Call implements Waiting {
    private final long untilNanos;
    private final CountDownLatch woken = new CountDownLatch(1);

    Call(Duration patience) {
      this.untilNanos = System.nanoTime() + patience.toNanos();
    }

    @Override
    public long untilNanos() {
      return untilNanos;
    }

    @Override
    public void wakeUp() {
      woken.countDown();
    }

    boolean isWoken() {
      return woken.getCount() == 0;
    }
  }

  @Test
  void call_whose_time_is_over_is_woken_while_a_look_still_takes_its_time() {
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (Polling<Call> polling =
        new Polling<>(
            "polling-test",
            INTERVAL,
            calls -> {
              looking.countDown();
              await(released);
              return List.of();
            })) {
      Call call = new Call(Duration.ofMillis(50));
      polling.add(call);
      await(looking);
      Wait.until("it is woken", call::isWoken);
      released.countDown();
    } finally {
      released.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
