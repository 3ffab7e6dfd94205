package io.agentjournal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

final class LoggersTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private Loggers at(String level) {
    PrintStream output = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return new Loggers(LogLevels.named(level), output);
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void slf4j_finds_them() {
    assertInstanceOf(Loggers.class, LoggerFactory.getILoggerFactory());
  }

  @Test
  void a_name_has_one_logger() {
    Loggers loggers = at("INFO");
    assertSame(loggers.getLogger("a"), loggers.getLogger("a"));
    assertEquals("a", loggers.getLogger("a").getName());
  }

  @Test
  void what_is_below_the_level_is_not_said() {
    Logger logger = at("warn").getLogger("io.agentjournal.Some");
    logger.error("first");
    logger.warn("second");
    logger.info("third");
    logger.debug("fourth");
    logger.trace("fifth");
    List<String> lines = printed().lines().toList();
    assertEquals(2, lines.size(), printed());
    assertTrue(lines.get(0).contains(" ERROR ") && lines.get(0).endsWith("Some - first"));
    assertTrue(lines.get(1).contains(" WARN ") && lines.get(1).endsWith("Some - second"));
  }

  @Test
  void arguments_take_their_places_and_a_failure_behind_them_is_one() {
    Logger logger = at("INFO").getLogger("Some");
    logger.warn("{} of {} {}", 1, 2, "three", new IllegalStateException("broken"));
    List<String> lines = printed().lines().toList();
    assertTrue(lines.get(0).endsWith("Some - 1 of 2 three"), printed());
    assertEquals("java.lang.IllegalStateException: broken", lines.get(1));
  }

  @Test
  void libraries_that_talk_much_are_held_back_however_much_is_asked_for() {
    Loggers loggers = at("DEBUG");
    assertTrue(loggers.getLogger("io.agentjournal.Some").isDebugEnabled());
    assertFalse(loggers.getLogger("com.zaxxer.hikari.HikariPool").isInfoEnabled());
    assertTrue(loggers.getLogger("com.zaxxer.hikari.HikariPool").isWarnEnabled());
  }

  @Test
  void libraries_that_talk_much_say_no_more_than_all_others() {
    assertFalse(at("ERROR").getLogger("org.flywaydb.core.Flyway").isWarnEnabled());
  }

  @Test
  void a_level_that_is_not_understood_is_information() {
    assertEquals(Level.INFO, LogLevels.named("loud").root());
  }

  @Test
  void without_a_level_information_is_given() {
    assertEquals(Level.INFO, LogLevels.named(null).root());
  }
}
