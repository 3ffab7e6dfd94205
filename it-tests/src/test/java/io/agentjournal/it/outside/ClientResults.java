package io.agentjournal.it.outside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * What became of each client, in target/summary/clients.json. The file is there whether the tests
 * pass, fail or are skipped: a client has failed until something else is known.
 */
final class ClientResults implements TestWatcher {
  private static final Path FILE = Path.of("target", "summary", "clients.json");

  private final Map<String, Row> rows = new LinkedHashMap<>();
  private String current = "";

  /** The best comes last. */
  private enum Result {
    FAILED,
    SKIPPED,
    PASSED
  }

  /** The worst of its tests counts; of a test that was repeated, the last time. */
  private static final class Row {
    private final Map<String, Result> byTest = new LinkedHashMap<>();
    private @Nullable Long resumedAt;
    private @Nullable Long rebought;

    private String json() {
      Result worst = byTest.values().stream().min(Result::compareTo).orElse(Result.FAILED);
      return "{\"result\": \"%s\", \"resumed_at\": %s, \"model_tokens_rebought\": %s}"
          .formatted(worst.name().toLowerCase(Locale.ROOT), resumedAt, rebought);
    }
  }

  ClientResults(List<String> clients) {
    clients.forEach(client -> rows.put(client, new Row()));
  }

  /** The test that has begun is one of this client. */
  void isTestOf(String client) {
    row(client);
    current = client;
  }

  /**
   * Notes what a take-over cost.
   *
   * @param resumedAt the index at which the successor went on
   * @param rebought how many tokens were asked for or sent again though they were stored
   */
  void takenOver(long resumedAt, long rebought) {
    row(current).resumedAt = resumedAt;
    row(current).rebought = rebought;
  }

  @Override
  public void testSuccessful(ExtensionContext test) {
    note(test, Result.PASSED);
  }

  @Override
  public void testAborted(ExtensionContext test, @Nullable Throwable cause) {
    note(test, Result.SKIPPED);
  }

  @Override
  public void testFailed(ExtensionContext test, @Nullable Throwable cause) {
    note(test, Result.FAILED);
  }

  private void note(ExtensionContext test, Result result) {
    row(current).byTest.put(test.getUniqueId(), result);
    write();
  }

  private Row row(String client) {
    Row row = rows.get(client);
    if (row == null) {
      throw new IllegalArgumentException("no client: " + client);
    }
    return row;
  }

  void write() {
    String members =
        rows.entrySet().stream()
            .map(row -> "  \"%s\": %s".formatted(row.getKey(), row.getValue().json()))
            .collect(Collectors.joining(",\n"));
    try {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, "{\n" + members + "\n}\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return rows.entrySet().stream()
        .map(row -> "  %-16s %s".formatted(row.getKey(), row.getValue().json()))
        .collect(Collectors.joining("\n", "clients\n", "\n"));
  }
}
