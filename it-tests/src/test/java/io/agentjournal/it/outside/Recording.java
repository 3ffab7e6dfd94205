package io.agentjournal.it.outside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A recorded model response that example agents replay: one event in each line. */
record Recording(Path file, List<String> events) {
  private static final Path SAMPLES = Path.of("src/test/resources/captures");
  private static final int FEWEST = 100;
  private static final int MOST = 400;

  /** Long enough for a kill in its middle, short enough for a test. */
  private static final double SECONDS = 4.5;

  /**
   * Of {@code -Djournal.captures}, else a sample of our own: the first that is of middle length.
   */
  static Recording choose() {
    String captures = System.getProperty("journal.captures", "");
    try (Stream<Path> files = Files.list(captures.isEmpty() ? SAMPLES : Path.of(captures))) {
      return files
          .filter(file -> file.toString().endsWith(".jsonl"))
          .sorted()
          .map(Recording::read)
          .filter(recording -> recording.size() >= FEWEST && recording.size() <= MOST)
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recording read(Path file) {
    try {
      return new Recording(file.toAbsolutePath(), Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int size() {
    return events.size();
  }

  String pauseSeconds() {
    return String.format(Locale.ROOT, "%.4f", SECONDS / size());
  }
}
