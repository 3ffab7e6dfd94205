package io.agentjournal.transcript;

import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one request, stored all or none. None at all is allowed.
 *
 * @param expectedLeafId refused unless this is the leaf; empty: the session has no entry; null: not
 *     said
 * @param submissionId stamped on the entries; null: written by nobody's attempt
 * @param turnId stamped on the entries; null: outside of a turn
 */
public record NewEntries(
    List<NewEntry> entries,
    @Nullable String expectedLeafId,
    @Nullable String submissionId,
    @Nullable String turnId) {
  public static final int MAX_ENTRIES = 1_000;

  /** Payloads of one request: 20 MiB. */
  public static final long MAX_BYTES = 20L << 20;

  public NewEntries {
    entries = List.copyOf(entries);
    if (entries.size() > MAX_ENTRIES) {
      throw new TooLarge("entries", entries.size(), MAX_ENTRIES);
    }
    Set<String> ids = new HashSet<>();
    for (NewEntry entry : entries) {
      if (!ids.add(entry.entryId())) {
        throw InvalidField.ofValue("entry_id", entry.entryId(), "twice in one request");
      }
    }
    long sizeBytes = sizeBytes(entries);
    if (sizeBytes > MAX_BYTES) {
      throw new TooLarge("entries", sizeBytes, MAX_BYTES);
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  public long sizeBytes() {
    return sizeBytes(entries);
  }

  private static long sizeBytes(List<NewEntry> entries) {
    return entries.stream().mapToLong(entry -> entry.payload().size()).sum();
  }
}
