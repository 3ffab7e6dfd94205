package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListStreamsRequest;
import io.agentjournal.v1.ListStreamsResponse;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListStreamsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final String prefix = "list-" + UUID.randomUUID() + "-";
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());

  private TestStream stream(String name) {
    return new TestStream(JOURNAL.channel(), prefix + name).put(0, name);
  }

  private ListStreamsRequest.Builder list() {
    return ListStreamsRequest.newBuilder().setKeyPrefix(prefix);
  }

  private List<String> names(ListStreamsRequest.Builder request) {
    return stub.listStreams(request.build()).getStreamsList().stream()
        .map(Stream::getStreamKey)
        .map(key -> key.substring(prefix.length()))
        .toList();
  }

  @Test
  void streams_come_in_the_order_of_the_bytes_of_their_keys() {
    List.of("b", "B", "a", "\u00e9", "\uFFFD", "\uD83D\uDE00", "aa").forEach(this::stream);
    assertEquals(List.of("B", "a", "aa", "b", "\u00e9", "\uFFFD", "\uD83D\uDE00"), names(list()));
  }

  @Test
  void a_prefix_is_taken_to_the_letter() {
    List.of("a", "a%", "a_", "ab", "b", "a\uDBFF\uDFFFz").forEach(this::stream);
    assertEquals(
        List.of("a", "a%", "a_", "ab", "a\uDBFF\uDFFFz"), names(list().setKeyPrefix(prefix + "a")));
    assertEquals(List.of("a%"), names(list().setKeyPrefix(prefix + "a%")));
    assertEquals(List.of("a\uDBFF\uDFFFz"), names(list().setKeyPrefix(prefix + "a\uDBFF\uDFFF")));
  }

  @Test
  void pages_follow_each_other_without_hole_or_repeat() {
    for (int i = 10; i < 17; i++) {
      stream(Integer.toString(i));
    }
    List<String> all = new ArrayList<>();
    String token = "";
    int pages = 0;
    do {
      ListStreamsResponse page =
          stub.listStreams(list().setPage(Page.newBuilder().setSize(3).setToken(token)).build());
      page.getStreamsList().forEach(s -> all.add(s.getStreamKey().substring(prefix.length())));
      token = page.getNextPageToken();
      pages++;
    } while (!token.isEmpty());
    assertEquals(List.of("10", "11", "12", "13", "14", "15", "16"), all);
    assertEquals(3, pages);
  }

  @Test
  void a_page_that_is_exactly_full_is_the_last() {
    stream("a");
    stream("b");
    ListStreamsResponse page =
        stub.listStreams(list().setPage(Page.newBuilder().setSize(2)).build());
    assertEquals(2, page.getStreamsCount());
    assertEquals("", page.getNextPageToken());
  }

  @Test
  void an_answer_stays_below_4_mib_whatever_the_streams_carry() {
    String message = "m".repeat(16 << 10);
    int count = 300;
    for (int i = 0; i < count; i++) {
      stream(Integer.toString(1_000 + i)).fail("code", message);
    }
    int listed = 0;
    String token = "";
    do {
      ListStreamsResponse page =
          stub.listStreams(
              list().setPage(Page.newBuilder().setSize(1_000).setToken(token)).build());
      assertTrue(page.getSerializedSize() < 4 << 20, "size of the answer");
      listed += page.getStreamsCount();
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(count, listed);
  }

  @Test
  void deleted_streams_are_listed_only_when_asked_for() {
    stream("kept");
    TestStream gone = stream("gone");
    var unused =
        stub.deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(gone.key()).build());
    assertEquals(List.of("kept"), names(list()));
    assertEquals(List.of("gone"), names(list().setState(StreamState.STREAM_STATE_DELETED)));
  }

  @Test
  void a_state_selects() {
    stream("open");
    stream("complete").complete("stop");
    stream("failed").fail("code", "message");
    assertEquals(List.of("open"), names(list().setState(StreamState.STREAM_STATE_OPEN)));
    assertEquals(List.of("complete"), names(list().setState(StreamState.STREAM_STATE_COMPLETE)));
    assertEquals(List.of("failed"), names(list().setState(StreamState.STREAM_STATE_FAILED)));
  }

  @Test
  void a_token_of_another_list_is_refused() {
    stream("a");
    stream("b");
    String token =
        stub.listStreams(list().setPage(Page.newBuilder().setSize(1)).build()).getNextPageToken();
    Refused.from(
            () ->
                stub.listStreams(
                    list()
                        .setState(StreamState.STREAM_STATE_OPEN)
                        .setPage(Page.newBuilder().setToken(token))
                        .build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "page.token");
  }
}
