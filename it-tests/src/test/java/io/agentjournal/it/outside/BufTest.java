package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.it.outside.Program.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The protocol as the linter and the users of its last version see it. */
final class BufTest {
  static final String HOW_TO_GET_IT = "npm install @bufbuild/buf";
  private static final Duration AT_MOST = Duration.ofMinutes(2);
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String PROTOS = "proto/src/main/proto";
  private static final String IMPORTS = "proto/target/googleapis";

  /** Beside a change of the protocol that is meant to break it, in the commit's message. */
  private static final String DECLARED = "API-Break:";

  @TempDir Path earlier;

  @Test
  void protocol_is_lint_clean() {
    Program buf = Program.require("buf", HOW_TO_GET_IT);
    assertEquals("", buf.run(ROOT, AT_MOST, List.of("lint")).expectSuccess());
  }

  @Test
  void protocol_breaks_nobody_who_uses_that_of_the_commit_before() throws IOException {
    Program buf = Program.require("buf", HOW_TO_GET_IT);
    Program git = Program.require("git", "install git");
    String commit =
        git.run(ROOT, AT_MOST, List.of("rev-parse", "--verify", "HEAD^")).output().strip();
    if (commit.isEmpty()) {
      skip("there is no commit before this one");
    }
    Ran declared = git.run(ROOT, AT_MOST, List.of("log", "-1", "--format=%B"));
    if (declared.expectSuccess().lines().anyMatch(line -> line.startsWith(DECLARED))) {
      skip("the last commit declares a break:\n" + declared.output());
    }
    Path archive = earlier.resolve("earlier.tar");
    Ran archived =
        git.run(
            ROOT, AT_MOST, List.of("archive", "--output=" + archive, commit, "buf.yaml", PROTOS));
    if (archived.exitCode() != 0) {
      skip("the commit before this one has no protocol: " + archived.errors());
    }
    new Program(Path.of("tar"), Map.of())
        .run(earlier, AT_MOST, List.of("-xf", archive.toString()))
        .expectSuccess();
    copy(ROOT.resolve(IMPORTS), earlier.resolve(IMPORTS));
    assertEquals(
        "",
        buf.run(ROOT, AT_MOST, List.of("breaking", "--against", earlier.toString()))
            .expectSuccess());
  }

  private static void skip(String reason) {
    System.out.println("SKIPPED: buf breaking: " + reason);
    Assumptions.abort(reason);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }
}
