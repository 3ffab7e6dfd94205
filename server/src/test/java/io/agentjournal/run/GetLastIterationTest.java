package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.event;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetLastIterationRequest;
import io.agentjournal.v1.GetLastIterationResponse;
import io.agentjournal.v1.Payload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetLastIterationTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void highest_index_is_the_last_whatever_its_seq_and_absent_if_there_is_none() {
    assertFalse(last().hasIndex());
    run.append(decision(9, "{\"index\":99}"));
    assertFalse(last().hasIndex());

    run.append(iteration(0, "{\"index\":3}"), iteration(1, "{\"index\":2}"));

    assertEquals(3, last().getIndex());
  }

  @Test
  void negative_and_zero_are_indices() {
    run.append(iteration(0, "{\"index\":-5}"));
    assertEquals(-5, last().getIndex());
    run.append(iteration(1, "{\"index\":0}"));
    assertEquals(0, last().getIndex());
  }

  @Test
  void what_is_no_whole_number_of_64_bits_does_not_count() {
    run.append(
        iteration(0, "{\"index\":1}"),
        iteration(1, "{\"index\":\"7\"}"),
        iteration(2, "{\"index\":7.0}"),
        iteration(3, "{\"index\":9223372036854775808}"),
        iteration(4, "{}"),
        iteration(5, "[7]"),
        iteration(6, "{\"a\":{\"index\":7}}"));
    run.append(
        iteration(7, "").toBuilder()
            .setPayload(Payload.newBuilder().setText("{\"index\":7}"))
            .build());

    assertEquals(1, last().getIndex());
  }

  @Test
  void replaced_iteration_counts_with_its_new_index() {
    run.append(iteration(0, "{\"index\":5}"), iteration(1, "{\"index\":4}"));
    run.append(iteration(0, "{\"index\":1}"));
    assertEquals(4, last().getIndex());
    run.append(iteration(1, "{}"));
    assertEquals(1, last().getIndex());
  }

  private static Event iteration(long seq, String json) {
    return event(seq, EventKind.EVENT_KIND_ITERATION, json);
  }

  private GetLastIterationResponse last() {
    return run.journal.getLastIteration(
        GetLastIterationRequest.newBuilder().setRunId(run.id).build());
  }
}
