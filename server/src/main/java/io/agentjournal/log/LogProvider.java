package io.agentjournal.log;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * What SLF4J asks for loggers. A logging library would do the same and more; to read its
 * configuration took longer than to start PostgreSQL (docs/decisions/start.md).
 */
public final class LogProvider implements SLF4JServiceProvider {
  private static final String ANY_OF_SLF4J_2 = "2.0.99";

  private final ILoggerFactory loggers = new Loggers(LogLevels.ofEnvironment(), System.err);
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter contexts = new NOPMDCAdapter();

  @Override
  public ILoggerFactory getLoggerFactory() {
    return loggers;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return contexts;
  }

  @Override
  public String getRequestedApiVersion() {
    return ANY_OF_SLF4J_2;
  }

  @Override
  public void initialize() {}
}
