package io.agentjournal.session;

import static io.agentjournal.session.SessionCaller.below;
import static io.agentjournal.session.SessionCaller.entry;
import static io.agentjournal.session.SessionCaller.fresh;
import static io.agentjournal.session.SessionCaller.pathOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListEntriesResponse;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.PathEnd;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ReadActivePathResponse;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** ReadActivePath and ListEntries, which send entries alike. */
final class ReadActivePathTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SessionCaller calls = SessionCaller.on(JOURNAL.channel());
  private final String session = fresh("session");

  private static List<String> ids(int from, int to) {
    List<String> ids = new ArrayList<>();
    for (int i = from; i < to; i++) {
      ids.add("e" + i);
    }
    return ids;
  }

  private List<String> listed(ListEntriesRequest.Builder request) {
    return calls.list(request.setSessionKey(session).build()).stream()
        .flatMap(message -> message.getEntriesList().stream())
        .map(Entry::getEntryId)
        .toList();
  }

  @Test
  void path_is_read_root_first_over_pages_and_ends_with_an_end() {
    calls.chain(session, 1_000);
    List<ReadActivePathResponse> messages = calls.path(pathOf(session).build());
    assertEquals(ids(0, 1_000), calls.pathIds(pathOf(session).build()));
    ReadActivePathResponse last = messages.get(messages.size() - 1);
    assertEquals(
        PathEnd.newBuilder().setLeafId("e999").setEntryCount(1_000).build(), last.getEnd());
    assertEquals(0, last.getEntriesCount());
    for (ReadActivePathResponse message : messages.subList(0, messages.size() - 1)) {
      assertFalse(message.hasEnd());
    }
  }

  @Test
  void entries_come_back_as_they_were_sent() {
    NewEntry sent =
        NewEntry.newBuilder()
            .setEntryId("t")
            .setKind("tool_result")
            .setToolCallId("call-1")
            .setPayload(Payload.newBuilder().setJson("{\"b\": 1, \"a\": 1.0, \"a\": \"\\u0000\"}"))
            .build();
    calls.append(session, entry("a"), sent);
    Entry read = calls.path(pathOf(session).build()).get(0).getEntries(1);
    assertEquals(sent.getPayload(), read.getPayload());
    assertEquals(sent.getPayload().getJsonBytes().size(), read.getPayloadSizeBytes());
    assertEquals("a", read.getParentId());
    assertEquals("call-1", read.getToolCallId());
    assertEquals(1, read.getDepth());
    assertTrue(read.hasCreatedAt());
  }

  @Test
  void last_ones_and_those_below_an_entry() {
    calls.chain(session, 700);
    assertEquals(ids(690, 700), calls.pathIds(pathOf(session).setLast(10).build()));
    assertEquals(ids(0, 700), calls.pathIds(pathOf(session).setLast(5_000).build()));
    assertEquals(ids(301, 700), calls.pathIds(pathOf(session).setAfterEntryId("e300").build()));
    assertEquals(List.of(), calls.pathIds(pathOf(session).setAfterEntryId("e699").build()));
    assertEquals(ids(0, 257), calls.pathIds(pathOf(session).setLeafId("e256").build()));
    assertEquals(
        ids(250, 257),
        calls.pathIds(
            pathOf(session).setLeafId("e256").setAfterEntryId("e249").setLast(300).build()));
  }

  @Test
  void path_leads_through_its_own_branch() {
    calls.chain(session, 600);
    calls.append(session, below("e299", "x0"), entry("x1"));
    List<String> wanted = ids(0, 300);
    wanted.addAll(List.of("x0", "x1"));
    assertEquals(wanted, calls.pathIds(pathOf(session).setLeafId("x1").build()));
    Refused.from(() -> calls.path(pathOf(session).setLeafId("x1").setAfterEntryId("e300").build()))
        .mustBe(
            Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND, "entry_id", "e300");
    wanted = ids(0, 600);
    wanted.addAll(List.of("x0", "x1"));
    assertEquals(wanted, listed(ListEntriesRequest.newBuilder()));
  }

  /** B112: what is not read of a deep path costs nothing but a few jumps. */
  @Test
  void deep_path_is_read_from_its_end() {
    int depth = Boolean.getBoolean("journal.thorough") ? 100_000 : 10_000;
    calls.chain(session, depth);
    assertEquals(ids(depth - 3, depth), calls.pathIds(pathOf(session).setLast(3).build()));
    assertEquals(
        ids(depth - 260, depth),
        calls.pathIds(pathOf(session).setAfterEntryId("e" + (depth - 261)).build()));
    assertEquals(ids(0, 2), calls.pathIds(pathOf(session).setLeafId("e1").build()));
  }

  /** B072: sixteen mebibytes come in messages below four. */
  @Test
  void large_entries_come_in_parts_that_follow_each_other() {
    byte[] bytes = new byte[16 << 20];
    new java.util.Random(7).nextBytes(bytes);
    calls.append(session, entry("a"));
    calls.append(
        session,
        NewEntry.newBuilder()
            .setEntryId("large")
            .setKind("image")
            .setPayload(Payload.newBuilder().setData(ByteString.copyFrom(bytes)))
            .build());
    calls.append(session, entry("z"));
    ByteString read = ByteString.EMPTY;
    List<String> ids = new ArrayList<>();
    for (ReadActivePathResponse message : calls.path(pathOf(session).build())) {
      assertTrue(message.getSerializedSize() < 4 << 20);
      for (Entry part : message.getEntriesList()) {
        ids.add(part.getEntryId());
        if (part.getEntryId().equals("large")) {
          assertEquals(read.size(), part.getPayloadOffset());
          assertEquals(bytes.length, part.getPayloadSizeBytes());
          read = read.concat(part.getPayload().getData());
        }
      }
    }
    assertEquals(ByteString.copyFrom(bytes), read);
    assertEquals(List.of("a", "large", "z"), ids.stream().distinct().toList());
  }

  @Test
  void messages_of_many_middling_entries_stay_below_four_mebibytes() {
    for (int i = 0; i < 12; i++) {
      calls.append(session, SubmissionCaller.entry("m" + i, "x".repeat(900 << 10)));
    }
    List<ReadActivePathResponse> messages = calls.path(pathOf(session).build());
    for (ReadActivePathResponse message : messages) {
      assertTrue(message.getSerializedSize() < 4 << 20);
    }
    assertEquals(12, messages.get(messages.size() - 1).getEnd().getEntryCount());
  }

  @Test
  void listing_goes_on_after_an_entry_and_leaves_payloads_out() {
    calls.chain(session, 300);
    assertEquals(ids(280, 300), listed(ListEntriesRequest.newBuilder().setAfterEntryId("e279")));
    List<ListEntriesResponse> messages =
        calls.list(
            ListEntriesRequest.newBuilder().setSessionKey(session).setWithoutPayload(true).build());
    Entry first = messages.get(0).getEntries(0);
    assertEquals(Payload.getDefaultInstance(), first.getPayload());
    assertEquals("text of e0".length(), first.getPayloadSizeBytes());
    assertEquals(300, messages.get(messages.size() - 1).getEnd().getEntryCount());
  }

  @Test
  void session_without_entries_has_an_empty_path() {
    SubmissionCaller.on(JOURNAL.channel()).admit(session, fresh("sub"));
    List<ReadActivePathResponse> messages = calls.path(pathOf(session).build());
    assertEquals(1, messages.size());
    assertEquals(PathEnd.getDefaultInstance(), messages.get(0).getEnd());
  }

  @Test
  void unknown_ones_are_not_found() {
    String unknown = fresh("session");
    Refused.from(() -> calls.path(pathOf(unknown).build()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    Refused.from(() -> calls.list(ListEntriesRequest.newBuilder().setSessionKey(unknown).build()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    calls.append(session, entry("a"));
    Refused.from(() -> calls.path(pathOf(session).setLeafId("missing").build()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND);
    Refused.from(() -> listed(ListEntriesRequest.newBuilder().setAfterEntryId("missing")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND);
    Refused.from(() -> calls.path(pathOf(session).setLast(0).build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "last");
  }
}
