package io.agentjournal.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.Wait;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PausingThreadTest {
  private static final Duration FOR_EVER = Duration.ofDays(1);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** What its work needs it for, which is written before it. */
  private final AtomicReference<@Nullable PausingThread> made = new AtomicReference<>();

  private PausingThread thread(PausingThread.Work work) {
    PausingThread thread = new PausingThread("pausing", work);
    made.set(thread);
    return thread;
  }

  private PausingThread itself() {
    return Objects.requireNonNull(made.get());
  }

  private static boolean isWaiting() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().equals("pausing")
                    && (thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TIMED_WAITING));
  }

  @Test
  void nothing_is_done_before_it_is_started() {
    AtomicReference<String> worker = new AtomicReference<>("nobody");
    PausingThread thread = thread(() -> worker.set(Thread.currentThread().getName()));
    assertEquals("nobody", worker.get());
    thread.start();
    thread.close();
    assertEquals("pausing", worker.get());
  }

  @Test
  void a_pause_lasts_as_long_as_was_asked_for() {
    AtomicLong tookNanos = new AtomicLong();
    Duration pause = Duration.ofMillis(20);
    PausingThread thread =
        thread(
            () -> {
              long beganNanos = System.nanoTime();
              itself().pause(pause);
              tookNanos.set(System.nanoTime() - beganNanos);
            });
    thread.start();
    Wait.until("it has paused", () -> tookNanos.get() > 0);
    thread.close();
    assertTrue(tookNanos.get() >= pause.toNanos(), tookNanos + " ns");
  }

  /** An object is waited for in milliseconds, and for none of them for ever. */
  @Test
  void a_pause_of_less_than_a_millisecond_ends() {
    AtomicBoolean ended = new AtomicBoolean();
    PausingThread thread =
        thread(
            () -> {
              itself().pause(Duration.ofNanos(300_000));
              ended.set(true);
            });
    thread.start();
    Wait.until("it has ended", ended::get);
    thread.close();
  }

  @Test
  void a_pause_of_no_time_is_none() {
    PausingThread thread = thread(() -> itself().pause(Duration.ZERO));
    thread.start();
    Wait.until("it does not wait", () -> !isWaiting());
    assertTimeoutPreemptively(SOON, thread::close);
  }

  @Test
  void to_be_woken_does_not_end_a_pause() {
    AtomicInteger rounds = new AtomicInteger();
    PausingThread thread =
        thread(
            () -> {
              itself().pause(FOR_EVER);
              rounds.incrementAndGet();
            });
    thread.start();
    Wait.until("it waits", PausingThreadTest::isWaiting);
    thread.wake();
    Wait.until("it waits", PausingThreadTest::isWaiting);
    assertEquals(0, rounds.get());
    thread.close();
  }

  @Test
  void closing_ends_a_pause_without_an_interruption() {
    AtomicBoolean interrupted = new AtomicBoolean(true);
    PausingThread thread =
        thread(
            () -> {
              itself().pause(FOR_EVER);
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    thread.start();
    Wait.until("it waits", PausingThreadTest::isWaiting);
    assertTimeoutPreemptively(SOON, thread::close);
    assertFalse(interrupted.get());
    assertTrue(thread.isClosed());
  }

  @Test
  void closing_waits_for_the_work_that_is_under_way() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicBoolean endedWhenClosed = new AtomicBoolean();
    PausingThread thread =
        thread(
            () -> {
              mayEnd.await();
              ended.set(true);
            });
    thread.start();
    Thread closing =
        new Thread(
            () -> {
              thread.close();
              endedWhenClosed.set(ended.get());
            });
    closing.start();
    Wait.until("the work is waited for", () -> closing.getState() == Thread.State.WAITING);
    mayEnd.countDown();
    Wait.until("it is closed", () -> !closing.isAlive());
    assertTrue(endedWhenClosed.get());
  }

  @Test
  void it_waits_until_there_is_something_to_do() {
    AtomicBoolean some = new AtomicBoolean();
    AtomicInteger done = new AtomicInteger();
    PausingThread thread =
        thread(
            () -> {
              while (itself().awaitWork(some::get)) {
                some.set(false);
                done.incrementAndGet();
              }
            });
    thread.start();
    Wait.until("it waits", PausingThreadTest::isWaiting);
    thread.wake();
    Wait.until("it waits", PausingThreadTest::isWaiting);
    assertEquals(0, done.get());
    some.set(true);
    thread.wake();
    Wait.until("it is done", () -> done.get() == 1);
    assertTimeoutPreemptively(SOON, thread::close);
    assertEquals(1, done.get());
  }

  @Test
  void closed_there_is_nothing_to_do_any_more() {
    AtomicBoolean goesOn = new AtomicBoolean(true);
    PausingThread thread =
        thread(
            () -> {
              while (!itself().isClosed()) {
                itself().pause(FOR_EVER);
              }
              goesOn.set(itself().awaitWork(() -> true));
            });
    thread.start();
    assertTimeoutPreemptively(SOON, thread::close);
    assertFalse(goesOn.get());
  }
}
