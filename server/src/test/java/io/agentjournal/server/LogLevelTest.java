package io.agentjournal.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** These tests run with the level WARN, by the property that LogLevel sets. */
final class LogLevelTest {
  @Test
  void levels_are_understood_in_any_case() {
    assertEquals("DEBUG", LogLevel.of(" debug "));
  }

  @Test
  void without_a_level_or_with_another_word_information_is_given() {
    assertEquals("INFO", LogLevel.of(null));
    assertEquals("INFO", LogLevel.of("loud"));
  }

  @Test
  void the_log_takes_the_level_from_the_property() {
    assertEquals("WARN", System.getProperty(LogLevel.PROPERTY));
    assertTrue(LoggerFactory.getLogger(LogLevelTest.class).isWarnEnabled());
    assertFalse(LoggerFactory.getLogger(LogLevelTest.class).isInfoEnabled());
  }

  @Test
  void a_cut_stream_is_no_warning() {
    String handler = "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler";
    assertFalse(LoggerFactory.getLogger(handler).isWarnEnabled());
    assertTrue(LoggerFactory.getLogger(handler).isErrorEnabled());
  }
}
