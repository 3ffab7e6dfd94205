package io.agentjournal.it.benchmark;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Figures with no more digits than they deserve. */
final class Numbers {
  private static final MathContext THREE_DIGITS = new MathContext(3);
  private static final double LARGE = 1000;

  private Numbers() {}

  /** With thousands apart. */
  static String of(double value) {
    return Math.abs(value) >= LARGE ? String.format(Locale.ROOT, "%,.0f", value) : plain(value);
  }

  /** What is left of it in {@link #plain}. */
  static double rounded(double value) {
    return Double.parseDouble(plain(value));
  }

  /** As JSON has it. */
  static String plain(double value) {
    if (Math.abs(value) >= LARGE) {
      return Long.toString(Math.round(value));
    }
    BigDecimal rounded = new BigDecimal(value).round(THREE_DIGITS);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
