package io.agentjournal.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory that goes when it is closed, with all that is in it but what a process that is ending
 * still holds or makes. Used by one thread.
 */
public final class TemporaryDirectory implements AutoCloseable {
  private final Path path;
  private boolean isKept;

  public TemporaryDirectory(String prefix) {
    try {
      this.path = Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path path() {
    return path;
  }

  /** Somebody will want to look at it: it stays. */
  public void keep() {
    isKept = true;
  }

  @Override
  public void close() {
    if (isKept) {
      return;
    }
    try (Stream<Path> paths = Files.walk(path)) {
      paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
