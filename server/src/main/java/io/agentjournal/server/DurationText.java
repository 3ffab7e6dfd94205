package io.agentjournal.server;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as an operator writes them: a whole number and its unit. */
final class DurationText implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  @Override
  public Duration convert(String text) {
    Matcher matcher = FORM.matcher(text);
    ChronoUnit unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new TypeConversionException(
          "'" + text + "' is no duration: a whole number and ms, s, m, h or d, such as 10s");
    }
    return unit.getDuration().multipliedBy(Long.parseLong(matcher.group(1)));
  }
}
