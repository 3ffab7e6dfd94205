package io.agentjournal.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.StartRefused;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

final class ServerOptionsTest {
  static List<OptionSpec> optionsOfOurs() {
    return new CommandLine(new ServerOptions())
        .getCommandSpec().options().stream()
            .filter(option -> !option.usageHelp() && !option.versionHelp())
            .toList();
  }

  @Test
  void nothing_given_is_a_local_server_with_a_database_of_its_own() {
    ServerSettings settings = ServerOptions.parse();
    assertEquals("127.0.0.1", settings.host());
    assertEquals(7400, settings.port());
    assertEquals(Path.of("agentjournal-data"), settings.dataDirectory());
    assertNull(settings.database());
    assertEquals(Duration.ofSeconds(10), settings.drainTimeout());
  }

  @Test
  void database_is_named_by_url_user_and_password() {
    ServerSettings settings =
        ServerOptions.parse(
            "--jdbc-url=jdbc:postgresql://db/x", "--jdbc-user=me", "--jdbc-password=secret");
    assertEquals(
        new DatabaseAddress("jdbc:postgresql://db/x", "me", "secret"), settings.database());
  }

  @ParameterizedTest
  @MethodSource("optionsOfOurs")
  void every_option_has_its_environment_variable(OptionSpec option) {
    String declared =
        ((Field) option.userObject()).getAnnotation(CommandLine.Option.class).defaultValue();
    assertTrue(declared.startsWith("${env:" + variable(option)), declared);
  }

  @ParameterizedTest
  @MethodSource("optionsOfOurs")
  void every_option_is_documented(OptionSpec option) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "operations.md"));
    assertTrue(page.contains("`" + option.longestName() + "`"), option.longestName());
    assertTrue(page.contains("`" + variable(option) + "`"), () -> variable(option));
  }

  private static String variable(OptionSpec option) {
    return "AGENTJOURNAL_"
        + option.longestName().substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--port=65536",
        "--port=-1",
        "--pool-size=1",
        "--pool-size=101",
        "--lanes=0",
        "--lanes=16",
        "--queued-calls=0",
        "--keepalive-time=9s",
        "--keepalive-timeout=0s",
        "--reconcile-interval=0s",
        "--jdbc-url=jdbc:h2:mem:x",
      })
  void setting_that_cannot_work_is_refused_by_name(String argument) {
    StartRefused refused = assertThrows(StartRefused.class, () -> ServerOptions.parse(argument));
    String name = argument.substring(2, argument.indexOf('='));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(name), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "s", "-1s", "1.5s", "10 s", "1w", ""})
  void duration_without_number_or_unit_is_refused(String text) {
    assertThrows(ParameterException.class, () -> ServerOptions.parse("--drain-timeout=" + text));
  }

  @Test
  void durations_are_a_number_and_a_unit() {
    assertEquals(
        Duration.ofMillis(250), ServerOptions.parse("--drain-timeout=250ms").drainTimeout());
    assertEquals(Duration.ofMinutes(2), ServerOptions.parse("--drain-timeout=2m").drainTimeout());
  }
}
