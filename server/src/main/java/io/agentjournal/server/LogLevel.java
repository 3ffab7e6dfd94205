package io.agentjournal.server;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The level of the log, which is set before the first logger is made. */
final class LogLevel {
  static final String PROPERTY = "org.slf4j.simpleLogger.defaultLogLevel";

  private static final String VARIABLE = "AGENTJOURNAL_LOG_LEVEL";
  private static final String DEFAULT = "INFO";
  private static final Set<String> LEVELS = Set.of("ERROR", "WARN", DEFAULT, "DEBUG", "TRACE");

  private LogLevel() {}

  /** A level that is not understood is told: a log must not keep the server down. */
  static void setByEnvironment() {
    String wanted = System.getenv(VARIABLE);
    String level = of(wanted);
    System.setProperty(PROPERTY, level);
    if (wanted != null && !wanted.isBlank() && !level.equals(normalized(wanted))) {
      System.err.println(
          VARIABLE
              + " is "
              + wanted
              + ": ERROR, WARN, INFO, DEBUG, TRACE are possible; INFO it is");
    }
  }

  static String of(@Nullable String wanted) {
    String level = wanted == null ? DEFAULT : normalized(wanted);
    return LEVELS.contains(level) ? level : DEFAULT;
  }

  private static String normalized(String wanted) {
    return wanted.strip().toUpperCase(Locale.ROOT);
  }
}
