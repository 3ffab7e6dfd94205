package io.agentjournal.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * What is told of one event: a line, and below it the failure with its causes.
 *
 * @param logger its name, of which the line has what stands behind the last dot
 */
record LogLine(
    ZonedDateTime time,
    Level level,
    String thread,
    String logger,
    @Nullable String message,
    @Nullable Throwable failure) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT);

  private static final int LEVEL_WIDTH = 5;
  private static final int THREAD_WIDTH = 18;

  /** With the ends of its lines. */
  String text() {
    StringBuilder text = new StringBuilder();
    TIME.formatTo(time, text);
    append(text.append(' '), level.name(), LEVEL_WIDTH);
    append(text.append(' '), thread, THREAD_WIDTH);
    text.append(' ').append(logger, logger.lastIndexOf('.') + 1, logger.length());
    text.append(" - ").append(message).append(System.lineSeparator());
    if (failure != null) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace, true));
      text.append(trace);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String word, int width) {
    text.append(word);
    for (int length = word.length(); length < width; length++) {
      text.append(' ');
    }
  }
}
