package io.agentjournal.it.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** What happens, printed as it happens: when, who, what. Thread-safe. */
final class Timeline {
  private static final String BOLD = "\033[1m";
  private static final String RED = "\033[31m";
  private static final String DIM = "\033[2m";
  private static final String PLAIN = "\033[0m";

  private final PrintStream out;
  private final boolean coloured;
  private final long startedAtNanos = System.nanoTime();

  Timeline(PrintStream out, boolean coloured) {
    this.out = out;
    this.coloured = coloured;
  }

  void heading(String text) {
    print(System.lineSeparator() + in(BOLD, text));
  }

  void event(String who, String what) {
    line(who, what, PLAIN);
  }

  void blow(String who, String what) {
    line(who, what, RED);
  }

  void text(String who, String what) {
    line(who, "│ " + what, DIM);
  }

  private void line(String who, String what, String colour) {
    Duration since = Duration.ofNanos(System.nanoTime() - startedAtNanos);
    String when = String.format(Locale.ROOT, "%6.2f s", since.toMillis() / 1000.0);
    print(String.format(Locale.ROOT, "%s  %-9s %s", when, who, in(colour, what)));
  }

  private String in(String colour, String text) {
    return coloured ? colour + text + PLAIN : text;
  }

  private synchronized void print(String line) {
    out.println(line);
    out.flush();
  }
}
