package io.agentjournal.it.benchmark;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Segment;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Segments of 24 bytes that differ, for what depends on whether they do. Thread-safe. */
final class Tokens {
  private static final int BYTES = 24;

  /** Some of the words that are most frequent in English, in no order. */
  private static final List<String> WORDS =
      List.of(
          "the", "of", "and", "to", "in", "is", "you", "that", "it", "he", "was", "for", "on",
          "are", "as", "with", "his", "they", "at", "be", "this", "have", "from", "or", "one",
          "had", "by", "word", "but", "not", "what", "all", "were", "we", "when", "your", "can",
          "said", "there", "use", "an", "each", "which", "she", "do", "how", "their", "if", "will",
          "up", "other", "about", "out", "many", "then", "them", "these", "so", "some", "her",
          "would", "make", "like", "him", "into", "time", "has", "look", "two", "more", "write",
          "go", "see", "number", "no", "way", "could", "people", "my", "than", "first", "water");

  private Tokens() {}

  /** Nothing makes it smaller. */
  static Segment random() {
    byte[] bytes = new byte[BYTES];
    ThreadLocalRandom.current().nextBytes(bytes);
    return Segment.newBuilder().setData(ByteString.copyFrom(bytes)).build();
  }

  /** As many words as there is room for. */
  static Segment words() {
    StringBuilder text = new StringBuilder();
    while (text.length() < BYTES) {
      text.append(' ').append(WORDS.get(ThreadLocalRandom.current().nextInt(WORDS.size())));
    }
    return Segment.newBuilder().setText(text.substring(0, BYTES)).build();
  }
}
