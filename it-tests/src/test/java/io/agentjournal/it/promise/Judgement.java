package io.agentjournal.it.promise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Timestamp;
import io.agentjournal.it.promise.Outside.Acknowledged;
import io.agentjournal.it.promise.Outside.Ask;
import io.agentjournal.it.promise.Outside.Write;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamState;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.TurnPhase;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Holds what is stored against what was done and seen outside. Used by one thread. */
final class Judgement {
  private final StoredWork stored;
  private final PromiseFindings findings;
  private final Map<String, List<Ask>> asks;
  private final Map<String, List<Write>> writes;
  private final Map<String, Long> acknowledged = new HashMap<>();

  Judgement(StoredWork stored, Outside outside, PromiseFindings findings) {
    this.stored = stored;
    this.findings = findings;
    this.asks = outside.asks().stream().collect(Collectors.groupingBy(Ask::streamKey));
    this.writes = outside.writes().stream().collect(Collectors.groupingBy(Write::submissionId));
    for (Acknowledged each : outside.acknowledged()) {
      acknowledged.merge(each.streamKey(), each.nextIndex(), Math::max);
    }
  }

  void judge(String submissionId, Map<String, List<Segment>> seen) {
    findings.submissions++;
    assertEquals(
        Outcome.OUTCOME_COMPLETED,
        stored.submission(submissionId).getSettlement().getOutcome(),
        submissionId);
    judgeTurns(submissionId);
    judgeWrites(submissionId);
    for (Stream stream : stored.streams(submissionId)) {
      judgeStream(stream, seen.getOrDefault(stream.getStreamKey(), List.of()));
    }
  }

  private void judgeTurns(String submissionId) {
    List<Turn> turns = stored.turns(submissionId);
    long committed =
        turns.stream().filter(turn -> turn.getPhase() == TurnPhase.TURN_PHASE_COMMITTED).count();
    findings.turns += committed;
    findings.committedTwice += Math.max(0, committed - Script.STEPS);
    findings.notCommitted += Math.max(0, Script.STEPS - committed);
  }

  /** None was sent after its attempt had ended and changed something all the same. */
  private void judgeWrites(String submissionId) {
    Map<String, Long> ends = new HashMap<>();
    for (AttemptMarker marker : stored.markers(submissionId)) {
      if (marker.hasEndedAt()) {
        ends.put(marker.getAttemptId(), micros(marker.getEndedAt()));
      }
    }
    for (Write write : writes.getOrDefault(submissionId, List.of())) {
      long end = ends.getOrDefault(write.attemptId(), Long.MAX_VALUE);
      if (write.applied() && write.micros() > end) {
        findings.zombieWrites++;
      }
    }
  }

  private void judgeStream(Stream stream, List<Segment> seen) {
    String key = stream.getStreamKey();
    List<Segment> segments = stored.segments(key);
    List<Ask> askedFor = asks.getOrDefault(key, List.of());
    if (!segments.equals(seen)) {
      findings.lostSegments += Math.max(1, Math.abs(segments.size() - seen.size()));
    }
    findings.lostSegments += Math.max(0, acknowledged.getOrDefault(key, 0L) - segments.size());
    judgeTokens(segments, askedFor);
    if (stream.getState() == StreamState.STREAM_STATE_COMPLETE) {
      long end = micros(stream.getEndedAt());
      findings.modelCallsRepeated += askedFor.stream().filter(ask -> ask.micros() > end).count();
    }
  }

  /**
   * Each asking's tokens stand together, from where it was asked to go on: else somebody has
   * written into the stream whose turn it was not any more.
   */
  private void judgeTokens(List<Segment> segments, List<Ask> askedFor) {
    Map<String, Long> from =
        askedFor.stream().collect(Collectors.toMap(Ask::askId, Ask::from, (a, b) -> a));
    Set<String> finished = new HashSet<>();
    String current = "";
    for (int index = 0; index < segments.size(); index++) {
      String text = segments.get(index).getText();
      if (text.isEmpty()) {
        continue;
      }
      assertEquals(
          Script.token(Script.stepOf(text), index), text.substring(0, text.indexOf('@') + 1));
      String askId = Script.askIdOf(text);
      if (!askId.equals(current)) {
        boolean isWhereItWasAsked = Long.valueOf(index).equals(from.get(askId));
        findings.zombieWrites += finished.add(askId) && isWhereItWasAsked ? 0 : 1;
        findings.tokensSaved += index;
        current = askId;
      }
    }
  }

  /** Whoever said what is counted: a plan that saved the model from being asked again. */
  void judgePlans(List<String> said) {
    for (String line : said) {
      if (line.startsWith(PromiseAgent.CLAIMED)) {
        String plan = line.substring(PromiseAgent.CLAIMED.length());
        boolean saves =
            plan.startsWith("REPLAY_STREAM")
                || plan.startsWith("CONTINUE_STREAM")
                || plan.startsWith("FINISH_TOOLS");
        findings.modelCallsSaved += saves ? 1 : 0;
      }
    }
  }

  static long micros(Timestamp timestamp) {
    return timestamp.getSeconds() * 1_000_000 + timestamp.getNanos() / 1_000;
  }
}
