package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.GetReplayIndexRequest;
import io.agentjournal.v1.GetReplayIndexResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetReplayIndexTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void every_event_is_there_once_with_its_latest_payload_in_order() {
    run.append(result(1, "1"), call(1, "2"));
    run.append(decision(0, "3"));
    run.append(result(1, "4"));
    List<GetReplayIndexResponse> messages = new ArrayList<>();

    run.journal
        .getReplayIndex(GetReplayIndexRequest.newBuilder().setRunId(run.id).build())
        .forEachRemaining(messages::add);

    Map<String, String> index = new LinkedHashMap<>();
    for (GetReplayIndexResponse message : messages) {
      for (Event event : message.getEventsList()) {
        index.put(JournalledRun.text(event), event.getPayload().getJson());
      }
    }
    assertEquals("{0:model_decision=3, 1:tool_result=4, 1:tool_call=2}", index.toString());
    GetReplayIndexResponse last = messages.get(messages.size() - 1);
    assertTrue(last.hasEnd());
    assertEquals(3, last.getEnd().getEventCount());
  }
}
