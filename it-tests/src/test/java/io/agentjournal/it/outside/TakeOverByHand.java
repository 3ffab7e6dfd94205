package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.agentjournal.it.outside.Program.Ran;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.BeginTurnJournalResponse;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.TakeOverResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Every call of it is a grpcurl: one that appends is killed in the middle of a response, by hand
 * the submission is taken from it, and the response continued, while a third one follows.
 */
final class TakeOverByHand {
  private static final Duration AT_MOST = Duration.ofMinutes(1);
  private static final String SERVICES = "agentjournal.v1.";
  private static final Pattern MESSAGE_END = Pattern.compile("(?m)(?<=^\\})\n");
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private final Program grpcurl;
  private final String target;
  private final Path directory;
  private final AdmittedSubmission work;
  private final Recording recording;
  private long resumedAt;
  private long duplicates;

  TakeOverByHand(
      Program grpcurl,
      String target,
      Path directory,
      AdmittedSubmission work,
      Recording recording) {
    this.grpcurl = grpcurl;
    this.target = target;
    this.directory = directory;
    this.work = work;
    this.recording = recording;
  }

  /** The index that the plan named. */
  long resumedAt() {
    return resumedAt;
  }

  /** Segments that were sent though they were stored. */
  long duplicates() {
    return duplicates;
  }

  void run() {
    AttemptRef first = work.attempt("first");
    call("SubmissionService/ClaimSubmission", claim(first)).expectSuccess();
    BeginTurnJournalResponse begun =
        read(
            call("TurnJournalService/BeginTurnJournal", begin(first)).expectSuccess(),
            BeginTurnJournalResponse.getDefaultInstance());
    String streamKey = begun.getJournal().getStreamKey();
    CompletableFuture<Ran> follower =
        CompletableFuture.supplyAsync(() -> call("SegmentService/ReadSegments", follow(streamKey)));
    appendUntilKilled(open(streamKey, first));

    TakeOverResponse taken =
        read(
            call("RecoveryService/TakeOver", takeOver()).expectSuccess(),
            TakeOverResponse.getDefaultInstance());
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM,
        taken.getPlan().getAction(),
        taken::toString);
    resumedAt = taken.getPlan().getStream().getNextIndex();
    AttemptRef second = work.attempt("by-hand");
    List<AppendSessionResponse> acknowledged = append(open(streamKey, second));
    AppendSessionResponse last = acknowledged.get(acknowledged.size() - 1);
    duplicates = last.getDuplicates();
    assertEquals(recording.size() - resumedAt, last.getAppended());

    Ran refused = call("TurnJournalService/CommitTurnJournal", commit(first, begun));
    assertNotEquals(0, refused.exitCode());
    assertTrue(refused.errors().contains("\"reason\": \"STALE_ATTEMPT\""), refused::errors);
    assertTrue(refused.errors().contains("\"current_attempt_id\": \"by-hand\""), refused::errors);
    call("TurnJournalService/CommitTurnJournal", commit(second, begun)).expectSuccess();
    assertEquals(recording.events(), texts(follower.join().expectSuccess()));
  }

  private ClaimSubmissionRequest claim(AttemptRef attempt) {
    return ClaimSubmissionRequest.newBuilder()
        .setAttempt(attempt)
        .setLease(LeaseRequest.newBuilder().setOwner("somebody"))
        .build();
  }

  private BeginTurnJournalRequest begin(AttemptRef attempt) {
    return BeginTurnJournalRequest.newBuilder()
        .setAttempt(attempt)
        .setTurnId("turn-1")
        .setStart(ProviderStart.getDefaultInstance())
        .build();
  }

  private static ReadSegmentsRequest follow(String streamKey) {
    return ReadSegmentsRequest.newBuilder().setStreamKey(streamKey).setFollow(true).build();
  }

  private static AppendSessionRequest open(String streamKey, AttemptRef attempt) {
    return AppendSessionRequest.newBuilder()
        .setOpen(StreamOpen.newBuilder().setStreamKey(streamKey).setAttempt(attempt))
        .build();
  }

  private AppendSessionRequest segment(int index) {
    return AppendSessionRequest.newBuilder()
        .setFirstIndex(index)
        .addSegments(Segment.newBuilder().setText(recording.events().get(index)))
        .build();
  }

  private TakeOverRequest takeOver() {
    return TakeOverRequest.newBuilder()
        .setSubmissionId(work.id())
        .setAttemptId("by-hand")
        .setLease(LeaseRequest.newBuilder().setOwner("operator"))
        .setForce(true)
        .build();
  }

  private CommitTurnJournalRequest commit(AttemptRef attempt, BeginTurnJournalResponse begun) {
    String whole = "[" + String.join(",", recording.events()) + "]";
    return CommitTurnJournalRequest.newBuilder()
        .setAttempt(attempt)
        .setTurnId(begun.getJournal().getTurnId())
        .setExpectedNextIndex(recording.size())
        .setSettle(
            Settlement.newBuilder()
                .setOutcome(Outcome.OUTCOME_COMPLETED)
                .setResult(Payload.newBuilder().setJson(whole)))
        .build();
  }

  /** Sends half of the response and kills the sender once some of it is stored. */
  private void appendUntilKilled(AppendSessionRequest open) {
    Process process = grpcurl.start(directory, arguments("SegmentService/AppendSession"));
    try (Writer input = process.outputWriter(StandardCharsets.UTF_8)) {
      input.write(json(open));
      for (int index = 0; index < recording.size() / 2; index++) {
        input.write(json(segment(index)));
        input.flush();
      }
      Wait.until(
          "some segments are stored",
          () -> work.stored().getStream().getNextIndex() >= recording.size() / 4);
      process.destroyForcibly();
      process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Sends the rest of the response, and its end. */
  private List<AppendSessionResponse> append(AppendSessionRequest open) {
    List<MessageOrBuilder> messages = new ArrayList<>(List.of(open));
    IntStream.range((int) resumedAt, recording.size())
        .mapToObj(this::segment)
        .forEach(messages::add);
    messages.add(
        AppendSessionRequest.newBuilder()
            .setEnd(StreamEnd.newBuilder().setFinishReason("stop"))
            .build());
    return readAll(
        call("SegmentService/AppendSession", messages.toArray(MessageOrBuilder[]::new))
            .expectSuccess(),
        AppendSessionResponse.getDefaultInstance());
  }

  private List<String> arguments(String method) {
    return List.of("-plaintext", "-d", "@", target, SERVICES + method);
  }

  private Ran call(String method, MessageOrBuilder... messages) {
    String input =
        List.of(messages).stream().map(TakeOverByHand::json).collect(Collectors.joining());
    return grpcurl.run(directory, AT_MOST, arguments(method), input);
  }

  private static String json(MessageOrBuilder message) {
    try {
      return JSON.print(message) + "\n";
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static List<String> texts(String followed) {
    return readAll(followed, ReadSegmentsResponse.getDefaultInstance()).stream()
        .flatMap(message -> message.getRun().getSegmentsList().stream())
        .map(Segment::getText)
        .toList();
  }

  private static <M extends Message> M read(String output, M type) {
    return readAll(output, type).get(0);
  }

  /** Each message of the output, which begins and ends at the margin. */
  private static <M extends Message> List<M> readAll(String output, M type) {
    List<M> messages = new ArrayList<>();
    for (String text : MESSAGE_END.split(output, -1)) {
      if (text.isEmpty()) {
        continue;
      }
      Message.Builder builder = type.newBuilderForType();
      try {
        JsonFormat.parser().merge(text, builder);
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalArgumentException(text, e);
      }
      @SuppressWarnings("unchecked")
      M message = (M) builder.build();
      messages.add(message);
    }
    return messages;
  }
}
