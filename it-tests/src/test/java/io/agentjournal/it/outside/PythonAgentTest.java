package io.agentjournal.it.outside;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.outside.Program.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents in Python with nothing of ours: grpcio, and stubs that grpcio-tools makes of the protos.
 * What is checked stands in clients/python/takeover.py.
 */
final class PythonAgentTest {
  private static final Path CLIENT = Path.of("clients/python").toAbsolutePath();
  private static final Path PROTOS =
      Path.of("../proto/src/main/proto").toAbsolutePath().normalize();
  private static final Path WORK = Path.of("target/python").toAbsolutePath();
  private static final Path STUBS = WORK.resolve("stubs");
  private static final Duration INSTALLATION = Duration.ofMinutes(5);
  private static final Duration SCENARIO = Duration.ofMinutes(3);

  /** The response in one AppendSession instead of one PutSegments for each token. */
  private static final String ONE_CALL = "--session";

  @TempDir static Path directory;
  private static @Nullable ServerProcess server;
  private static Program python = new Program(Path.of("python3"), Map.of());

  @BeforeAll
  static void start() throws IOException {
    python = withPackages(Program.require("python3", "install Python 3.9 or newer, with venv"));
    generateStubs();
    server = ServerProcess.start(directory);
  }

  @AfterAll
  static void end() {
    if (server != null) {
      server.close();
    }
  }

  /** A Python of the test's own, in target/, with the packages that the agent needs. */
  private static Program withPackages(Program system) throws IOException {
    Files.createDirectories(WORK);
    Path venv = WORK.resolve("venv");
    Ran made = system.run(WORK, INSTALLATION, List.of("-m", "venv", venv.toString()));
    if (made.exitCode() != 0) {
      return Program.missing("python3 has no venv: " + made.errors());
    }
    Program own = new Program(venv.resolve("bin/python"), Map.of());
    Path requirements = CLIENT.resolve("requirements.txt");
    Ran installed =
        own.run(
            WORK,
            INSTALLATION,
            List.of("-m", "pip", "install", "--quiet", "--requirement", requirements.toString()));
    if (installed.exitCode() != 0) {
      return Program.missing("pip could not install grpcio: " + installed.errors());
    }
    return own;
  }

  private static void generateStubs() throws IOException {
    Files.createDirectories(STUBS);
    List<String> arguments = new ArrayList<>(List.of("-m", "grpc_tools.protoc"));
    arguments.add("-I" + PROTOS);
    arguments.add("-I" + Path.of("../proto/target/googleapis").toAbsolutePath().normalize());
    arguments.add("--python_out=" + STUBS);
    arguments.add("--grpc_python_out=" + STUBS);
    try (Stream<Path> protos = Files.list(PROTOS.resolve("agentjournal/v1"))) {
      protos.map(Path::toString).sorted().forEach(arguments::add);
    }
    python.run(WORK, INSTALLATION, arguments).expectSuccess();
  }

  @Test
  void agent_is_killed_in_the_middle_of_a_response() {
    run("killed_in_the_middle_of_a_response", ONE_CALL);
  }

  @Test
  void agent_wakes_up_as_a_zombie() {
    run("wakes_up_as_a_zombie");
  }

  @Test
  void agent_is_killed_in_the_middle_of_a_tool() {
    run("killed_in_the_middle_of_a_tool");
  }

  @Test
  void agent_restarts_under_its_old_name() {
    run("restarts_under_its_old_name");
  }

  @Test
  @EnabledIfSystemProperty(named = "journal.thorough", matches = "true")
  void agent_that_puts_each_token_is_killed_in_the_middle_of_a_response() {
    run("killed_in_the_middle_of_a_response");
  }

  @Test
  @EnabledIfSystemProperty(named = "journal.thorough", matches = "true")
  void agent_that_streams_its_tokens_wakes_up_as_a_zombie() {
    run("wakes_up_as_a_zombie", ONE_CALL);
  }

  private static void run(String scenario, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.add(CLIENT.resolve("takeover.py").toString());
    arguments.addAll(List.of("--target", Objects.requireNonNull(server).target()));
    arguments.addAll(List.of("--scenario", scenario));
    arguments.addAll(List.of(options));
    System.out.println(scenario);
    System.out.print(
        python
            .with("PYTHONPATH", STUBS.toString())
            .run(CLIENT, SCENARIO, arguments)
            .expectSuccess());
  }
}
