package io.agentjournal.it.benchmark;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one question: one object of benchmarks.json.
 *
 * @param ours the median; null: not measured
 * @param others their medians, by name
 * @param notMeasured who was not measured, and why
 * @param runs every figure, by who made it
 * @param commit of what was measured
 */
record Finding(
    String row,
    String what,
    String unit,
    @Nullable Double ours,
    Map<String, Double> others,
    List<Reached> goals,
    Map<String, String> notMeasured,
    Map<String, List<Double>> runs,
    String commit) {
  static final String OURS = "agent-journal";

  /**
   * A goal, judged.
   *
   * @param value in the finding's unit; null: it hangs on what was not measured
   */
  record Reached(String text, @Nullable Double value, @Nullable Boolean reached) {
    private String json() {
      return "{\"to_reach\": %s, \"value\": %s, \"reached\": %s}"
          .formatted(quoted(text), value == null ? "null" : Numbers.plain(value), reached);
    }

    private static Reached from(Struct json) {
      Value value = json.getFieldsOrThrow("value");
      Value reached = json.getFieldsOrThrow("reached");
      return new Reached(
          json.getFieldsOrThrow("to_reach").getStringValue(),
          value.hasNumberValue() ? value.getNumberValue() : null,
          reached.hasBoolValue() ? reached.getBoolValue() : null);
    }
  }

  static Finding of(
      Question question,
      Map<String, List<Double>> runs,
      Map<String, String> notMeasured,
      String commit) {
    Map<String, Double> medians = new LinkedHashMap<>();
    runs.forEach((who, figures) -> medians.put(who, Numbers.rounded(median(figures))));
    Double ours = medians.remove(OURS);
    List<Reached> goals =
        ours == null
            ? question.goals().stream().map(goal -> new Reached(goal.text(), null, null)).toList()
            : question.goals().stream().map(goal -> goal.judge(ours, medians)).toList();
    return new Finding(
        question.row(),
        question.what(),
        question.unit(),
        ours,
        medians,
        goals,
        notMeasured,
        runs,
        commit);
  }

  static double median(List<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : DoubleStream.of(sorted[middle - 1], sorted[middle]).average().orElseThrow();
  }

  /** Ours : theirs. */
  Map<String, Double> ratios() {
    Map<String, Double> ratios = new LinkedHashMap<>();
    if (ours != null) {
      others.forEach((who, theirs) -> ratios.put(who, ours / theirs));
    }
    return ratios;
  }

  /** One line. */
  String json() {
    return "{\"row\": %s, \"what\": %s, \"unit\": %s, \"ours\": %s, \"others\": %s, \"ratio\": %s, \"goal\": [%s], \"not_measured\": %s, \"runs\": %s, \"commit\": %s}"
        .formatted(
            quoted(row),
            quoted(what),
            quoted(unit),
            ours == null ? "null" : Numbers.plain(ours),
            object(others, Numbers::plain),
            object(ratios(), Numbers::plain),
            goals.stream().map(Reached::json).collect(Collectors.joining(", ")),
            object(notMeasured, Finding::quoted),
            object(runs, each -> each.stream().map(Numbers::plain).toList().toString()),
            quoted(commit));
  }

  static Finding from(Struct json) {
    Value ours = json.getFieldsOrThrow("ours");
    Map<String, Double> others = new LinkedHashMap<>();
    fields(json, "others").forEach((who, value) -> others.put(who, value.getNumberValue()));
    Map<String, String> notMeasured = new LinkedHashMap<>();
    fields(json, "not_measured").forEach((who, why) -> notMeasured.put(who, why.getStringValue()));
    Map<String, List<Double>> runs = new LinkedHashMap<>();
    fields(json, "runs")
        .forEach(
            (who, each) ->
                runs.put(
                    who,
                    each.getListValue().getValuesList().stream()
                        .map(Value::getNumberValue)
                        .toList()));
    return new Finding(
        text(json, "row"),
        text(json, "what"),
        text(json, "unit"),
        ours.hasNumberValue() ? ours.getNumberValue() : null,
        others,
        json.getFieldsOrThrow("goal").getListValue().getValuesList().stream()
            .map(goal -> Reached.from(goal.getStructValue()))
            .toList(),
        notMeasured,
        runs,
        text(json, "commit"));
  }

  private static String text(Struct json, String name) {
    return json.getFieldsOrThrow(name).getStringValue();
  }

  private static Map<String, Value> fields(Struct json, String name) {
    return json.getFieldsOrThrow(name).getStructValue().getFieldsMap();
  }

  private static <T> String object(Map<String, T> members, Function<T, String> form) {
    return members.entrySet().stream()
        .map(member -> quoted(member.getKey()) + ": " + form.apply(member.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
