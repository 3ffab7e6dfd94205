package io.agentjournal.it.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The answers as bars: ours, the others', and a mark at each goal. Each question has its scale. */
final class Picture {
  private static final int WIDTH = 1000;
  private static final int NAMES = 330;
  private static final int BARS = 520;
  private static final int LINE = 16;
  private static final int TITLE = 26;
  private static final int GAP = 14;

  private static final String HEAD =
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">
      <rect width="100%%" height="100%%" fill="#ffffff"/>
      """;

  private static final String TITLE_TEXT =
      "<text x=\"8\" y=\"%d\" font-size=\"12\" font-weight=\"bold\">%s (%s)</text>\n";

  private static final String BAR =
      """
      <text x="%d" y="%d" text-anchor="end">%s</text>
      <rect x="%d" y="%d" width="%s" height="11" fill="%s"/>
      <text x="%s" y="%d">%s</text>
      """;

  private static final String MARK =
      "<line x1=\"%s\" y1=\"%d\" x2=\"%s\" y2=\"%d\" stroke=\"#c62828\" stroke-width=\"2\"><title>%s</title></line>\n";

  private final StringBuilder svg = new StringBuilder();
  private int y = GAP;

  private Picture() {}

  static String of(Findings findings) {
    Picture picture = new Picture();
    picture.legend();
    findings.all().stream().filter(finding -> finding.ours() != null).forEach(picture::draw);
    return HEAD.formatted(WIDTH, picture.y) + picture.svg + "</svg>\n";
  }

  private void legend() {
    svg.append(
        "<text x=\"8\" y=\"%d\">dark: agent-journal; grey: others and limits; red: to be reached</text>\n"
            .formatted(y + LINE));
    y += LINE + GAP;
  }

  private void draw(Finding finding) {
    double ours = finding.ours() == null ? 0 : finding.ours();
    double longest = ours;
    for (double other : finding.others().values()) {
      longest = Math.max(longest, other);
    }
    List<Finding.Reached> marks = new ArrayList<>();
    for (Finding.Reached goal : finding.goals()) {
      if (goal.value() != null) {
        marks.add(goal);
        longest = Math.max(longest, goal.value());
      }
    }
    double scale = longest > 0 ? BARS / longest : 0;
    svg.append(TITLE_TEXT.formatted(y + LINE, escaped(finding.what()), escaped(finding.unit())));
    y += TITLE;
    int top = y;
    bar(Finding.OURS, ours, scale, "#1a3a6b");
    for (Map.Entry<String, Double> other : finding.others().entrySet()) {
      bar(other.getKey(), other.getValue(), scale, "#b4bcc8");
    }
    for (Finding.Reached mark : marks) {
      String x = at(NAMES + (mark.value() == null ? 0 : mark.value()) * scale);
      svg.append(MARK.formatted(x, top - 2, x, y - 3, escaped(mark.text())));
    }
    y += GAP;
  }

  private void bar(String who, double figure, double scale, String colour) {
    double width = Math.max(1, figure * scale);
    svg.append(
        BAR.formatted(
            NAMES - 6,
            y + 10,
            escaped(who),
            NAMES,
            y,
            at(width),
            colour,
            at(NAMES + width + 5),
            y + 10,
            Numbers.of(figure)));
    y += LINE;
  }

  private static String at(double position) {
    return String.format(Locale.ROOT, "%.1f", position);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
