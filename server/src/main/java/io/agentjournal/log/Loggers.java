package io.agentjournal.log;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;

/** One logger for each name. Thread-safe. */
final class Loggers implements ILoggerFactory {
  private final LogLevels levels;
  private final PrintStream output;
  private final Map<String, Logger> byName = new ConcurrentHashMap<>();

  Loggers(LogLevels levels, PrintStream output) {
    this.levels = levels;
    this.output = output;
  }

  @Override
  public Logger getLogger(String name) {
    Logger known = byName.get(name);
    return known == null ? added(name) : known;
  }

  private Logger added(String name) {
    Logger added = new LineLogger(name, levels.of(name), output);
    Logger earlier = byName.putIfAbsent(name, added);
    return earlier == null ? added : earlier;
  }
}
