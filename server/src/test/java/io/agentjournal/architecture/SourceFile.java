package io.agentjournal.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One Java file of the server, or of the classifier that it shares with the client, as its author
 * wrote it.
 */
record SourceFile(String concept, String className, String text) {
  private static final Path PACKAGES = Path.of("src/main/java/io/agentjournal");
  private static final List<Path> SOURCES = List.of(PACKAGES, Path.of("../plan").resolve(PACKAGES));
  private static final Pattern COMMENT =
      Pattern.compile(
          "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\])*\"|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
  private static final Pattern CONCEPT = Pattern.compile("\\bio\\.agentjournal\\.([a-z][a-z0-9]*)");
  private static final String GENERATED = "v1";

  static List<SourceFile> all() throws IOException {
    List<SourceFile> all = new ArrayList<>();
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .sorted()
            .forEach(file -> all.add(read(root, file)));
      }
    }
    return all;
  }

  private static SourceFile read(Path root, Path file) {
    try {
      String name = file.getFileName().toString();
      return new SourceFile(
          root.relativize(file).getName(0).toString(),
          name.substring(0, name.length() - ".java".length()),
          Files.readString(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** As a reader of the tests' messages finds it. */
  String name() {
    return concept + "." + className;
  }

  /** The text without comments and literals: what the compiler sees of names. */
  String code() {
    return COMMENT.matcher(text).replaceAll("\"\"");
  }

  boolean mentions(String packageName) {
    return Pattern.compile("\\b" + Pattern.quote(packageName) + "\\b").matcher(code()).find();
  }

  /** The other concepts that the file uses; the generated messages are none. */
  Set<String> usedConcepts() {
    Set<String> used = new TreeSet<>();
    Matcher matcher = CONCEPT.matcher(code());
    while (matcher.find()) {
      used.add(matcher.group(1));
    }
    used.remove(GENERATED);
    used.remove(concept);
    return used;
  }

  long lines() {
    return text.lines().count();
  }
}
