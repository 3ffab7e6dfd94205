package io.agentjournal.it.model;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which sequence has missed which guard: a line for each, "seed name". It is tried first, so that
 * all guards can be gone through in minutes; a guard that it does not miss any more, as sequences
 * are made up differently now, is looked for among all.
 */
final class CaughtBy {
  private static final String FILE = "guards-caught-by.txt";

  private CaughtBy() {}

  /** Seeds by the names of the guards. */
  static Map<String, Long> read() throws IOException {
    Map<String, Long> seeds = new TreeMap<>();
    try (InputStream file = CaughtBy.class.getResourceAsStream(FILE)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      text.lines()
          .map(line -> line.split(" ", 2))
          .forEach(line -> seeds.put(line[1], Long.valueOf(line[0])));
    }
    return seeds;
  }

  /** As it was this time, to be copied over the file among the sources. */
  static void write(Map<String, Long> seeds, Path directory) throws IOException {
    List<String> lines =
        seeds.entrySet().stream().map(seed -> seed.getValue() + " " + seed.getKey()).toList();
    Files.createDirectories(directory);
    Files.write(directory.resolve(FILE), lines);
  }
}
