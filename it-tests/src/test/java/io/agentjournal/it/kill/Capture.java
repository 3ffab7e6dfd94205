package io.agentjournal.it.kill;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Segment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A recorded model response, one streamed event a line. A segment is a line with its end, so that
 * all segments together are the file, byte for byte.
 */
record Capture(String name, List<ByteString> lines) {
  /** Of {@code -Djournal.captures}, else samples of our own. In the order of their names. */
  static List<Path> files() {
    String folder = System.getProperty("journal.captures", "");
    try (Stream<Path> files = Files.list(folder.isEmpty() ? samples() : Path.of(folder))) {
      return files.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path samples() {
    try {
      return Path.of(Objects.requireNonNull(Capture.class.getResource("/captures")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static Capture read(Path file) {
    try {
      return new Capture(
          String.valueOf(file.getFileName()), lines(ByteString.copyFrom(Files.readAllBytes(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<ByteString> lines(ByteString bytes) {
    List<ByteString> lines = new ArrayList<>();
    int start = 0;
    for (int end = 1; end <= bytes.size(); end++) {
      if (end == bytes.size() || bytes.byteAt(end - 1) == '\n') {
        lines.add(bytes.substring(start, end));
        start = end;
      }
    }
    return List.copyOf(lines);
  }

  Segment segment(int index, boolean asText) {
    return asText
        ? Segment.newBuilder().setTextBytes(lines.get(index)).build()
        : Segment.newBuilder().setData(lines.get(index)).build();
  }
}
