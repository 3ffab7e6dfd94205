package io.agentjournal.it.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class BenchmarkPageTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path RESULTS = DOCS.resolve("benchmarks.json");

  @Test
  void the_file_answers_every_question_or_says_why_not() throws IOException {
    Findings findings = Findings.read(RESULTS);
    assertEquals(
        Rows.questions().stream().map(Question::what).toList(),
        findings.all().stream().map(Finding::what).toList());
    for (Finding finding : findings.all()) {
      assertFalse(
          finding.ours() == null && finding.notMeasured().isEmpty(),
          () -> "neither measured nor told why: " + finding.what());
    }
  }

  @Test
  void the_goals_in_the_file_are_those_of_the_questions_and_judged_by_its_figures()
      throws IOException {
    Findings findings = Findings.read(RESULTS);
    for (Question question : Rows.questions()) {
      Finding finding =
          findings.all().stream()
              .filter(each -> each.what().equals(question.what()))
              .findFirst()
              .orElseThrow();
      assertEquals(
          Finding.of(question, finding.runs(), finding.notMeasured(), finding.commit()).json(),
          finding.json());
    }
  }

  @Test
  void the_table_of_the_page_is_the_file() throws IOException {
    assertEquals(
        FindingsTable.of(Findings.read(RESULTS)), FindingsTable.in(DOCS.resolve("benchmarks.md")));
  }

  @Test
  void the_picture_is_the_file() throws IOException {
    assertEquals(
        Picture.of(Findings.read(RESULTS)), Files.readString(DOCS.resolve("benchmarks.svg")));
  }
}
