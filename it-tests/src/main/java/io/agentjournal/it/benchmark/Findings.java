package io.agentjournal.it.benchmark;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** All answers that there are: the file of them, in the order of the questions. */
final class Findings {
  private final Map<String, Finding> byQuestion = new LinkedHashMap<>();

  static Findings read(Path file) throws IOException {
    Findings findings = new Findings();
    if (Files.exists(file)) {
      ListValue.Builder json = ListValue.newBuilder();
      JsonFormat.parser().merge(Files.readString(file), json);
      for (Value value : json.getValuesList()) {
        findings.put(Finding.from(value.getStructValue()));
      }
    }
    return findings;
  }

  /** In the place of an earlier answer to the same question. */
  void put(Finding finding) {
    byQuestion.put(finding.what(), finding);
  }

  /** In the order of the questions; answers to questions that nobody asks any more are left out. */
  Findings inOrderOf(List<Question> questions) {
    Findings ordered = new Findings();
    for (Question question : questions) {
      Finding finding = byQuestion.get(question.what());
      ordered.put(
          finding == null
              ? Finding.of(
                  question, Map.of(), Map.of(Finding.OURS, "not measured in any run yet"), "")
              : finding);
    }
    return ordered;
  }

  List<Finding> all() {
    return List.copyOf(byQuestion.values());
  }

  void write(Path file) throws IOException {
    String lines = all().stream().map(Finding::json).collect(Collectors.joining(",\n  "));
    Files.writeString(file, "[\n  " + lines + "\n]\n");
  }
}
