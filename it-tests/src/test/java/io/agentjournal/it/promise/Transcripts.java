package io.agentjournal.it.promise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.v1.Entry;
import java.util.ArrayList;
import java.util.List;

/** Holds the sessions' transcripts against the script and the tools' effects. */
final class Transcripts {
  private final StoredWork stored;
  private final Outside outside;
  private final PromiseFindings findings;

  Transcripts(StoredWork stored, Outside outside, PromiseFindings findings) {
    this.stored = stored;
    this.outside = outside;
    this.findings = findings;
  }

  /** One line from root to leaf, on which each submission stands once, whole, and in its order. */
  void judge(String sessionKey, List<String> submissionIds) {
    List<Entry> path = stored.path(sessionKey);
    assertEquals(ids(path), ids(stored.entries(sessionKey)), "there are branches");
    for (int i = 1; i < path.size(); i++) {
      assertEquals(path.get(i - 1).getEntryId(), path.get(i).getParentId());
    }
    List<String> expected = new ArrayList<>();
    for (String submissionId : submissionIds) {
      expected.add(submissionId + " user");
      for (int step = 0; step < Script.STEPS; step++) {
        expected.add(submissionId + " assistant " + step);
        for (String tool : Script.tools(step)) {
          expected.add(submissionId + " tool_result " + tool);
        }
      }
    }
    List<String> found = new ArrayList<>();
    int step = 0;
    int place = 0;
    for (Entry entry : path) {
      String text = entry.getPayload().getText();
      String line = entry.getSubmissionId() + " " + entry.getKind();
      if (entry.getKind().equals("assistant")) {
        step = Script.stepOf(text);
        place = 0;
        line += " " + step;
      } else if (entry.getKind().equals("tool_result")) {
        String tool = Script.tools(step).get(place++);
        judgeEffect(Script.effect(entry.getSubmissionId(), step, tool), tool, text);
        line += " " + tool;
      }
      found.add(line);
    }
    assertEquals(expected, found);
  }

  private void judgeEffect(String effect, String tool, String result) {
    long count = outside.countEffects(effect);
    boolean isUnknown = !result.equals(effect);
    findings.repeatedEffects += Math.max(0, count - 1);
    findings.unknownOutcomes += isUnknown ? 1 : 0;
    boolean isMarked = isUnknown && tool.equals(Script.APPEND);
    findings.missingEffects += count == 0 && !isMarked ? 1 : 0;
  }

  private static List<String> ids(List<Entry> entries) {
    return entries.stream().map(Entry::getEntryId).toList();
  }
}
