package io.agentjournal.server;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class MainTest {
  private static final String READS_PROPERTIES =
      "/io/grpc/netty/shaded/io/netty/util/internal/PlatformDependent.class";

  @Test
  void netty_knows_the_property_that_keeps_the_flight_recorder_out_of_the_start()
      throws IOException {
    try (InputStream file = MainTest.class.getResourceAsStream(READS_PROPERTIES)) {
      assertNotNull(file);
      String constants = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(constants.contains(Main.EVENTS_OF_EACH_BUFFER));
    }
  }
}
