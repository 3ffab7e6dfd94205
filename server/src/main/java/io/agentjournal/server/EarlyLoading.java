package io.agentjournal.server;

import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.ServiceDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads classes that the start needs last, on a thread of its own, while the start reads its
 * options and waits for PostgreSQL. It makes the start shorter and nothing else: nobody waits for
 * it.
 */
final class EarlyLoading {
  /** Made before the thread begins: logging is not to be set up by two threads at once. */
  private static final Logger LOG = LoggerFactory.getLogger(EarlyLoading.class);

  private EarlyLoading() {}

  static void begin() {
    Thread thread = new Thread(EarlyLoading::load, "early-loading");
    thread.setDaemon(true);
    thread.start();
  }

  private static void load() {
    // Is not started, and so needs no closing.
    var unused =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .build();
    List<ServiceDescriptor> services =
        List.of(
            AdminServiceGrpc.getServiceDescriptor(),
            SegmentServiceGrpc.getServiceDescriptor(),
            TurnJournalServiceGrpc.getServiceDescriptor(),
            SubmissionServiceGrpc.getServiceDescriptor(),
            SessionServiceGrpc.getServiceDescriptor(),
            RecoveryServiceGrpc.getServiceDescriptor(),
            RunJournalServiceGrpc.getServiceDescriptor());
    long files = services.stream().map(EarlyLoading::file).distinct().count();
    LOG.debug("{} services of {} files are loaded", services.size(), files);
  }

  /** Made of its serialised form, which is work. */
  private static String file(ServiceDescriptor service) {
    return service.getSchemaDescriptor() instanceof ProtoFileDescriptorSupplier schema
        ? schema.getFileDescriptor().getFullName()
        : service.getName();
  }
}
