package io.agentjournal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

final class LogLineTest {
  private static final ZonedDateTime NOON =
      ZonedDateTime.of(2026, 2, 3, 12, 0, 0, 4_000_000, ZoneId.of("Asia/Kathmandu"));

  private static LogLine line(Level level, String thread, @Nullable Throwable failure) {
    return new LogLine(NOON, level, thread, "io.agentjournal.server.Main", "It began", failure);
  }

  @Test
  void has_time_with_its_offset_level_thread_and_the_last_word_of_the_logger() {
    assertEquals(
        "2026-02-03T12:00:00.004+05:45 INFO  main               Main - It began"
            + System.lineSeparator(),
        line(Level.INFO, "main", null).text());
  }

  @Test
  void a_long_name_of_a_thread_is_told_whole() {
    assertEquals(
        "2026-02-03T12:00:00.004+05:45 ERROR a-thread-with-a-long-name Main - It began"
            + System.lineSeparator(),
        line(Level.ERROR, "a-thread-with-a-long-name", null).text());
  }

  @Test
  void a_failure_comes_with_its_cause_below_the_line() {
    Throwable failure = new IllegalStateException("late", new IllegalArgumentException("tired"));
    String text = line(Level.WARN, "main", failure).text();
    assertTrue(
        text.contains(
            "It began"
                + System.lineSeparator()
                + "java.lang.IllegalStateException: late"
                + System.lineSeparator()),
        text);
    assertTrue(text.contains("Caused by: java.lang.IllegalArgumentException: tired"), text);
  }
}
