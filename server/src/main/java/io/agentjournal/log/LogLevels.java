package io.agentjournal.log;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * The least level at which each logger says something.
 *
 * @param root of all but those that would say too much
 */
record LogLevels(Level root) {
  private static final String VARIABLE = "AGENTJOURNAL_LOG_LEVEL";

  /** By the beginnings of their names. */
  private static final Map<String, Level> TALKATIVE =
      Map.of(
          "com.zaxxer.hikari",
          Level.WARN,
          "org.flywaydb",
          Level.WARN,
          // Warns, with a stack trace, of each stream that a client or a network has cut, which is
          // a day's work.
          "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler",
          Level.ERROR);

  static LogLevels ofEnvironment() {
    return named(System.getenv(VARIABLE));
  }

  /** One that is not understood is told, and INFO taken: a log must not keep the server down. */
  static LogLevels named(@Nullable String name) {
    if (name == null || name.isBlank()) {
      return new LogLevels(Level.INFO);
    }
    try {
      return new LogLevels(Level.valueOf(name.strip().toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      System.err.println(
          VARIABLE + " is " + name + ": ERROR, WARN, INFO, DEBUG, TRACE are possible; INFO it is");
      return new LogLevels(Level.INFO);
    }
  }

  Level of(String logger) {
    for (Map.Entry<String, Level> talkative : TALKATIVE.entrySet()) {
      if (logger.startsWith(talkative.getKey())) {
        return stricter(root, talkative.getValue());
      }
    }
    return root;
  }

  private static Level stricter(Level one, Level other) {
    return one.toInt() >= other.toInt() ? one : other;
  }
}
