package io.agentjournal.it.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.RunEventWriter;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.RunJournalServiceGrpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class RunEventWriterOverServerRestartsTest {
  private static final int EVENTS = 3_000;

  @TempDir Path directory;

  @Test
  void what_is_acknowledged_outlives_the_server_and_the_rest_is_sent_again() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory);
        JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
      long acknowledged = 0;
      try (RunEventWriter writer = client.eventWriter("restarts").open()) {
        for (int seq = 0; seq < EVENTS; seq++) {
          writer.append(seq, EventKind.EVENT_KIND_MODEL_DECISION, "" + seq);
          if (seq == EVENTS / 3) {
            writer.awaitDurable(EVENTS / 6);
            server.kill9();
            acknowledged = writer.durableEvents();
          } else if (seq == EVENTS / 2) {
            server.startAgain();
            assertEquals(
                numbers((int) acknowledged), stored(client).subList(0, (int) acknowledged));
          } else if (seq == 2 * EVENTS / 3) {
            writer.awaitDurable(EVENTS / 2);
            assertEquals(0, server.terminate());
            server.startAgain();
          }
        }
        writer.awaitDurable(EVENTS);
      }
      assertEquals(numbers(EVENTS), stored(client));
    }
  }

  private static List<String> numbers(int end) {
    return IntStream.range(0, end).mapToObj(Integer::toString).toList();
  }

  private static List<String> stored(JournalClient client) {
    List<String> payloads = new ArrayList<>();
    RunJournalServiceGrpc.newBlockingStub(client.channel())
        .withWaitForReady()
        .listEvents(ListEventsRequest.newBuilder().setRunId("restarts").build())
        .forEachRemaining(
            message ->
                message
                    .getEventsList()
                    .forEach(event -> payloads.add(event.getPayload().getJson())));
    return payloads;
  }
}
