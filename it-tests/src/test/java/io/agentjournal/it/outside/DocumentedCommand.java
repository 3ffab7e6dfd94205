package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command that a page tells people to type, an {@code sh} block, and what it says that the
 * command prints, if it does: the {@code json} or {@code text} block right after it.
 */
record DocumentedCommand(String command, Optional<String> expected) {
  private static final Pattern BLOCKS =
      Pattern.compile(
          "(?ms)^```sh\n(?<command>.*?)^```\n(?:\n```(?:json|text)\n(?<expected>.*?)^```$)?");

  /** What the page leaves out: in a line any text, alone in a line any lines. */
  private static final String LEFT_OUT = "…";

  private static final Pattern BETWEEN = Pattern.compile(LEFT_OUT);

  /** In the order of the page. */
  static List<DocumentedCommand> of(Path page) {
    List<DocumentedCommand> commands = new ArrayList<>();
    try {
      Matcher blocks = BLOCKS.matcher(Files.readString(page));
      while (blocks.find()) {
        commands.add(
            new DocumentedCommand(
                blocks.group("command"), Optional.ofNullable(blocks.group("expected"))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertFalse(commands.isEmpty(), page + " has commands");
    return commands;
  }

  /** It goes on until the stream ends, or the submission. */
  boolean lasts() {
    return command.contains("\"follow\": true") || command.contains("/WatchSubmission");
  }

  boolean needs(String program) {
    return command.contains(program + " ");
  }

  /** Fails unless it printed what the page says. */
  void assertPrinted(String output) {
    assertFalse(output.isBlank(), command);
    if (expected.isPresent() && !pattern(expected.get()).matcher(ended(output)).matches()) {
      assertEquals(expected.get(), output, command);
    }
  }

  private static Pattern pattern(String expected) {
    return Pattern.compile(
        expected.lines().map(DocumentedCommand::linePattern).collect(Collectors.joining()));
  }

  private static String linePattern(String line) {
    return line.strip().equals(LEFT_OUT)
        ? "(?:.*\n)*?"
        : BETWEEN.splitAsStream(line + "\n").map(Pattern::quote).collect(Collectors.joining(".*"));
  }

  private static String ended(String output) {
    return output.endsWith("\n") ? output : output + "\n";
  }
}
