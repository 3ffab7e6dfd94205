package io.agentjournal.it.outside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Python: grpcio, and stubs that grpcio-tools makes of the protos, in a virtual environment. */
final class PythonPrograms {
  private static @Nullable Workshop ready;

  private PythonPrograms() {}

  /** The follower's file; the agent's, with its options. */
  static ClientPrograms of(String follower, String... agent) {
    Workshop workshop = workshop();
    return new ClientPrograms(
        workshop.directory(),
        Map.of("PYTHONPATH", stubs(workshop).toString()),
        command(workshop, agent),
        command(workshop, follower));
  }

  private static List<String> command(Workshop workshop, String... fileAndOptions) {
    List<String> command = new ArrayList<>(List.of(python(workshop).file().toString()));
    command.addAll(List.of(fileAndOptions));
    return command;
  }

  private static synchronized Workshop workshop() {
    if (ready == null) {
      Program system = Program.require("python3", "install Python 3.9 or newer, with venv");
      Workshop workshop = Workshop.of("python");
      workshop.install("a virtual environment", system, "-m", "venv", "venv");
      workshop.install(
          "grpcio", python(workshop), "-m", "pip", "install", "-q", "-r", "requirements.txt");
      workshop.build(python(workshop), stubGeneration(workshop));
      ready = workshop;
    }
    return ready;
  }

  private static Program python(Workshop workshop) {
    return new Program(workshop.directory().resolve("venv/bin/python"), Map.of());
  }

  private static Path stubs(Workshop workshop) {
    return workshop.directory().resolve("stubs");
  }

  private static List<String> stubGeneration(Workshop workshop) {
    Path stubs = stubs(workshop);
    List<String> arguments = new ArrayList<>(List.of("-m", "grpc_tools.protoc"));
    arguments.add("-I" + Workshop.PROTOS);
    arguments.add("-I" + Workshop.IMPORTS);
    arguments.add("--python_out=" + stubs);
    arguments.add("--grpc_python_out=" + stubs);
    try (Stream<Path> protos = Files.list(Workshop.PROTOS.resolve("agentjournal/v1"))) {
      Files.createDirectories(stubs);
      protos.map(Path::toString).sorted().forEach(arguments::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return arguments;
  }
}
