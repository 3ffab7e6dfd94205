package io.agentjournal.it.benchmark;

import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;

/** A client's connections to a server; each takes one event loop, on which its answers come. */
final class Connections implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 32 << 20;

  private final List<ManagedChannel> channels = new ArrayList<>();

  Connections(String target, int count) {
    for (int i = 0; i < count; i++) {
      channels.add(
          Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
              .maxInboundMessageSize(MAX_MESSAGE_BYTES)
              .directExecutor()
              .build());
    }
  }

  /** The same for the same number; numbers that follow each other are spread. */
  Channel of(int number) {
    return channels.get(number % channels.size());
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
