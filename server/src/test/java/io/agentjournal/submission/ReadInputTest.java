package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ReadInputRequest;
import io.agentjournal.v1.ReadInputResponse;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ReadInputTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());

  private List<ReadInputResponse> read(String id) {
    List<ReadInputResponse> parts = new ArrayList<>();
    calls
        .stub()
        .readInput(ReadInputRequest.newBuilder().setSubmissionId(id).build())
        .forEachRemaining(parts::add);
    return parts;
  }

  private String admitted(Payload input) {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setInput(input).build());
    return id;
  }

  @Test
  void small_input_is_one_part() {
    ReadInputResponse part = read(admitted(text("do it"))).get(0);
    assertEquals(text("do it"), part.getPart());
    assertEquals(0, part.getPayloadOffset());
    assertEquals(5, part.getPayloadSizeBytes());
  }

  @Test
  void no_input_is_one_part_without_payload() {
    List<ReadInputResponse> parts = read(admitted(Payload.getDefaultInstance()));
    assertEquals(1, parts.size());
    assertEquals(Payload.getDefaultInstance(), parts.get(0).getPart());
  }

  @Test
  void large_text_comes_in_parts_cut_between_code_points() {
    // Three bytes each: a cut at 1 MiB would fall into the middle of one.
    String input = "\u20ac".repeat(1_500_000);
    StringBuilder read = new StringBuilder();
    long offset = 0;
    for (ReadInputResponse part : read(admitted(text(input)))) {
      assertTrue(part.getSerializedSize() < 2 << 20);
      assertEquals(offset, part.getPayloadOffset());
      assertEquals(4_500_000, part.getPayloadSizeBytes());
      read.append(part.getPart().getText());
      offset += part.getPart().getTextBytes().size();
    }
    assertEquals(input, read.toString());
  }

  @Test
  void sixteen_mebibytes_of_anything_come_back_as_they_were() {
    byte[] input = new byte[16 << 20];
    new java.util.Random(42).nextBytes(input);
    ByteString read = ByteString.EMPTY;
    for (ReadInputResponse part :
        read(admitted(Payload.newBuilder().setData(ByteString.copyFrom(input)).build()))) {
      read = read.concat(part.getPart().getData());
    }
    assertEquals(ByteString.copyFrom(input), read);
  }

  @Test
  void larger_ones_are_refused_with_size_and_limit() {
    Payload large =
        Payload.newBuilder().setData(ByteString.copyFrom(new byte[(16 << 20) + 1])).build();
    Refused.from(() -> admitted(large))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "input",
            "size",
            Integer.toString((16 << 20) + 1),
            "limit",
            Integer.toString(16 << 20));
  }

  @Test
  void unknown_submission_is_not_found() {
    Refused.from(() -> read("nobody-knows-it"))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}
