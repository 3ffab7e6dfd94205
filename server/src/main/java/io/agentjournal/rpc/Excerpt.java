package io.agentjournal.rpc;

/** The beginning of a text, for where the whole of it would be too much. */
public final class Excerpt {
  private Excerpt() {}

  /** At most so many chars. No code point is cut in two. */
  public static String of(String text, int maxChars) {
    int end = Math.min(text.length(), maxChars);
    boolean cutsPair = end < text.length() && Character.isLowSurrogate(text.charAt(end));
    return text.substring(0, cutsPair ? end - 1 : end);
  }
}
