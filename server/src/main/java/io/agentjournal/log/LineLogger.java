package io.agentjournal.log;

import java.io.PrintStream;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Writes each line in one piece. Thread-safe. */
final class LineLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1;

  private final Level least;
  private final transient PrintStream output;

  LineLogger(String name, Level least, PrintStream output) {
    this.name = name;
    this.least = least;
    this.output = output;
  }

  private boolean says(Level level) {
    return level.toInt() >= least.toInt();
  }

  @Override
  public boolean isErrorEnabled() {
    return says(Level.ERROR);
  }

  @Override
  public boolean isWarnEnabled() {
    return says(Level.WARN);
  }

  @Override
  public boolean isInfoEnabled() {
    return says(Level.INFO);
  }

  @Override
  public boolean isDebugEnabled() {
    return says(Level.DEBUG);
  }

  @Override
  public boolean isTraceEnabled() {
    return says(Level.TRACE);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      @Nullable String pattern,
      @Nullable Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    String message = MessageFormatter.basicArrayFormat(pattern, arguments);
    ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault());
    String thread = Thread.currentThread().getName();
    output.print(new LogLine(now, level, thread, name, message, failure).text());
  }
}
