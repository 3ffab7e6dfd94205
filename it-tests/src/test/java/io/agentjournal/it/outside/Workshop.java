package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.outside.Program.Ran;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Where the programs of one language are made ready: a copy of their sources in target/. */
record Workshop(Path directory) {
  static final Path PROTOS = Path.of("../proto/src/main/proto").toAbsolutePath().normalize();

  /** What the protos import, google/rpc, unpacked by Maven. */
  static final Path IMPORTS = Path.of("../proto/target/googleapis").toAbsolutePath().normalize();

  /** Each JVM that runs tests has its own: one would write what another one's programs read. */
  private static final String PROCESS = System.getProperty("journal.test-process", "1");

  private static final Path SOURCES = Path.of("clients");

  /** What people who try the programs make beside them. */
  private static final Set<String> MADE = Set.of("node_modules", "stubs", "venv", "__pycache__");

  private static final Duration AT_MOST = Duration.ofMinutes(5);

  /** With the sources as they are now; what was installed before stays. */
  static Workshop of(String language) {
    Path directory = Path.of("target", language + "-" + PROCESS).toAbsolutePath();
    Path sources = SOURCES.resolve(language);
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Workshop::isSource).toList()) {
        Path copy = directory.resolve(sources.relativize(file));
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Workshop(directory);
  }

  private static boolean isSource(Path file) {
    return Files.isRegularFile(file)
        && StreamSupport.stream(file.spliterator(), false)
            .noneMatch(name -> MADE.contains(name.toString()));
  }

  /** What fails here may be for want of a network: skipped or, where CI is true, failed. */
  void install(String what, Program program, String... arguments) {
    Ran ran = program.run(directory, AT_MOST, List.of(arguments));
    if (ran.exitCode() != 0) {
      Program.missing(what + " could not be installed: " + ran.output() + ran.errors());
    }
  }

  void build(Program program, List<String> arguments) {
    program.run(directory, AT_MOST, arguments).expectSuccess();
  }

  static void expectImports() {
    assertTrue(Files.isDirectory(IMPORTS), "unpacked by Maven: " + IMPORTS);
  }
}
