package io.agentjournal.it.model;

import com.google.protobuf.Duration;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SubmissionKind;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A sequence that is being made up: what the world is like by now, and names to choose from. */
final class Draft {
  private static final List<String> SUBMISSIONS = List.of("u1", "u1", "u1", "u2", "u2", "u3");
  private static final String UNKNOWN = "unknown";

  final Random random;
  World world = new World();
  final List<Call> history = new ArrayList<>();
  private final Map<String, SubmissionKind> kinds = new HashMap<>();
  private int attempts;
  private int turns;
  private int entries;

  Draft(Random random) {
    this.random = random;
  }

  /** True so many times in a hundred. */
  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  String submissionId() {
    return chance(1) ? UNKNOWN : oneOf(SUBMISSIONS);
  }

  /** The third is in a session of its own. */
  static String sessionOf(String submissionId) {
    return submissionId.equals("u3") ? "s2" : "s1";
  }

  /** The same in all of the sequence. Of one that was dispatched a receipt is kept. */
  SubmissionKind kind(String submissionId) {
    return kinds.computeIfAbsent(
        submissionId,
        id ->
            chance(60)
                ? SubmissionKind.SUBMISSION_KIND_DISPATCH
                : SubmissionKind.SUBMISSION_KIND_DIRECT);
  }

  String owner() {
    return chance(70) ? "o1" : "o2";
  }

  /** It ends only when time passes as a step: no wait and no busy machine is as long. */
  LeaseRequest lease() {
    return LeaseRequest.newBuilder()
        .setOwner(owner())
        .setDuration(Duration.newBuilder().setSeconds(3_600))
        .build();
  }

  String freshAttempt() {
    attempts++;
    return "a" + attempts;
  }

  /** Mostly who holds it, now and then who held it once. */
  AttemptRef attempt(String submissionId) {
    AttemptRef.Builder attempt = AttemptRef.newBuilder().setSubmissionId(submissionId);
    ModelSubmission submission = world.submissions.get(submissionId);
    if (submission == null || submission.markers.isEmpty() || chance(2)) {
      return attempt.setAttemptId(chance(50) ? UNKNOWN : "a1").build();
    }
    return submission.isRunning() && chance(82)
        ? attempt.setAttemptId(submission.told.getAttemptId()).build()
        : attempt.setAttemptId(oneOf(List.copyOf(submission.markers.keySet()))).build();
  }

  /** For a claim: mostly new, now and then used. */
  String claimant(String submissionId) {
    return chance(88) ? freshAttempt() : attempt(submissionId).getAttemptId();
  }

  String freshTurn() {
    turns++;
    return "t" + turns;
  }

  /** Mostly the slot's, now and then an earlier one. */
  String turn(String submissionId) {
    ModelSubmission submission = world.submissions.get(submissionId);
    ModelTurn slot = submission == null ? null : submission.slot();
    if (submission == null || slot == null || chance(1)) {
      return chance(50) ? UNKNOWN : "t1";
    }
    return chance(88) ? slot.id() : oneOf(List.copyOf(submission.turns.keySet()));
  }

  @Nullable ModelTurn slot(String submissionId) {
    ModelSubmission submission = world.submissions.get(submissionId);
    return submission == null ? null : submission.slot();
  }

  Payload text(String text) {
    return Payload.newBuilder().setText(text).build();
  }

  /** Up to so many, mostly new, in a chain below the leaf. */
  List<NewEntry> entries(String sessionKey, int most) {
    List<NewEntry> added = new ArrayList<>();
    int count = random.nextInt(most + 1);
    for (int i = 0; i < count; i++) {
      added.add(entry(sessionKey));
    }
    long distinct = added.stream().map(NewEntry::getEntryId).distinct().count();
    return distinct == count ? added : List.of();
  }

  NewEntry entry(String sessionKey) {
    List<String> known = entryIds(sessionKey);
    boolean isKnown = !known.isEmpty() && chance(10);
    String id = isKnown ? oneOf(known) : "e" + (entries + 1);
    entries += isKnown ? 0 : 1;
    NewEntry.Builder entry =
        NewEntry.newBuilder().setEntryId(id).setKind("k").setPayload(text("text of " + id));
    if (chance(isKnown ? 30 : 12)) {
      entry.setParentId(anyLeaf(sessionKey));
    }
    return isKnown && chance(30) ? entry.setPayload(text("another")).build() : entry.build();
  }

  private List<String> entryIds(String sessionKey) {
    ModelSession session = world.sessions.get(sessionKey);
    return session == null ? List.of() : List.copyOf(session.entries.keySet());
  }

  String leaf(String sessionKey) {
    ModelSession session = world.sessions.get(sessionKey);
    return session == null ? "" : session.leafId;
  }

  String anyLeaf(String sessionKey) {
    List<String> known = entryIds(sessionKey);
    if (known.isEmpty() || chance(10)) {
      return chance(50) ? UNKNOWN : "";
    }
    return oneOf(known);
  }

  /** Null: not said; mostly the leaf, now and then another one. */
  @Nullable String expectedLeaf(String sessionKey) {
    if (chance(65)) {
      return null;
    }
    return chance(80) ? leaf(sessionKey) : anyLeaf(sessionKey);
  }

  /** Of the slot's stream; null: not said; now and then wrong. */
  @Nullable Long expectedNextIndex(String submissionId) {
    if (chance(60)) {
      return null;
    }
    long wrong = chance(80) ? 0 : 1;
    return nextIndex(submissionId) + wrong;
  }

  /** One of the three ways to append; the long ones have no part in what goes on at once. */
  MethodDescriptor<?, ?> anyAppend() {
    return switch (random.nextInt(8)) {
      case 0 -> SegmentServiceGrpc.getAppendSegmentsMethod();
      case 1 -> SegmentServiceGrpc.getAppendSessionMethod();
      default -> SegmentServiceGrpc.getPutSegmentsMethod();
    };
  }

  long nextIndex(String submissionId) {
    ModelTurn slot = slot(submissionId);
    ModelStream stream = slot == null ? null : world.streams.get(slot.slot.getStreamKey());
    return stream == null ? 0 : stream.nextIndex();
  }
}
