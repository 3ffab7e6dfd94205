package io.agentjournal.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What a test saw, in numbers: a file for machines and a table for people. */
public final class Summary {
  private static final Path DIRECTORY = Path.of("target", "summary");

  private final String name;
  private final Map<String, Long> values = new LinkedHashMap<>();

  /** Names the file: {@code target/summary/<name>.json}. */
  public Summary(String name) {
    this.name = name;
  }

  public Summary put(String key, long value) {
    values.put(key, value);
    return this;
  }

  public void write() {
    String members =
        values.entrySet().stream()
            .map(value -> "  \"%s\": %s".formatted(value.getKey(), value.getValue()))
            .collect(Collectors.joining(",\n"));
    try {
      Files.createDirectories(DIRECTORY);
      Files.writeString(DIRECTORY.resolve(name + ".json"), "{\n" + members + "\n}\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.println(table());
  }

  private String table() {
    return values.entrySet().stream()
        .map(value -> "  %-32s %,12d".formatted(value.getKey(), value.getValue()))
        .collect(Collectors.joining("\n", name + "\n", "\n"));
  }
}
