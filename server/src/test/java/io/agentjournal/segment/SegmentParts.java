package io.agentjournal.segment;

import io.agentjournal.database.Database;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.Migrations;
import io.agentjournal.database.Transactions;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.FailureInterceptor;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.UnaryCalls;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** A server of SegmentService alone, into which a test can look. */
final class SegmentParts implements AutoCloseable {
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final Draining draining = new Draining();
  private final StreamChanges changes = new StreamChanges();
  private final SegmentReads reads;
  private final ManagedChannel channel;

  SegmentParts(DatabaseAddress address) {
    this(address, true);
  }

  /** One that hears only of what its own lanes commit. */
  static SegmentParts withoutWatch(DatabaseAddress address) {
    return new SegmentParts(address, false);
  }

  private SegmentParts(DatabaseAddress address, boolean watches) {
    new Migrations(address).run();
    Transactions transactions = new Transactions(starting(new Database(address, 8)));
    Transactions watching = new Transactions(starting(new Database(address, 1)));
    BlockingPool pool = starting(new BlockingPool(6, 1_000));
    AppendLimits limits = AppendLimits.DEFAULT;
    Lanes lanes = starting(new Lanes(transactions, limits, 2, false, changes));
    if (watches) {
      starting(new StreamWatch(watching, changes));
    }
    this.reads = starting(new SegmentReads(transactions, changes, pool, draining));
    Streams streams = new Streams(transactions, changes);
    Server server =
        serve(
            new SegmentService(
                limits, lanes, changes, draining, reads, streams, new UnaryCalls(pool)));
    starting(server::shutdownNow);
    this.channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    starting(channel::shutdownNow);
  }

  private static Server serve(SegmentService service) {
    try {
      return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
          .directExecutor()
          .addService(service.definition())
          .intercept(new NamespaceInterceptor())
          .intercept(new FailureInterceptor())
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private <T extends AutoCloseable> T starting(T part) {
    started.push(part);
    return part;
  }

  ManagedChannel channel() {
    return channel;
  }

  Draining draining() {
    return draining;
  }

  StreamChanges changes() {
    return changes;
  }

  /** Bytes that readers hold. */
  long heldBytes() {
    return reads.heldBytes().sum();
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}
