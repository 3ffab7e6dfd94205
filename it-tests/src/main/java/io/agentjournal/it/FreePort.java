package io.agentjournal.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port that a server keeps over restarts. Below those that the kernel hands out by itself: one of
 * those could be given away while the server is down, or to a client that connects to it and would
 * then talk to itself.
 */
public final class FreePort {
  private static final int LOWEST = 20_000;
  private static final int HIGHEST = 32_000;
  private static final int TRIES = 1_000;

  private FreePort() {}

  public static int find() {
    for (int tries = 0; tries < TRIES; tries++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException e) {
        // Taken: try another.
      }
    }
    throw new IllegalStateException("no free port");
  }
}
