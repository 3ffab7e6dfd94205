package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;

/**
 * The transport's limit: a gRPC server that parses, counts and acknowledges, and stores nothing.
 * Prints its port, and, for each line that it reads, how many segments it has counted.
 */
final class CountingServer extends SegmentServiceGrpc.SegmentServiceImplBase {
  private final LongAdder segments = new LongAdder();

  private CountingServer() {}

  public static void main(String[] arguments) throws Exception {
    CountingServer service = new CountingServer();
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .directExecutor()
            .addService(service)
            .build()
            .start();
    System.out.println(server.getPort());
    while (System.in.read() == '\n') {
      System.out.println(service.segments.sum());
    }
    server.shutdownNow();
  }

  @Override
  public StreamObserver<AppendSegmentsRequest> appendSegments(
      StreamObserver<AppendSegmentsResponse> answers) {
    return new StreamObserver<>() {
      private long nextIndex;

      @Override
      public void onNext(AppendSegmentsRequest request) {
        nextIndex += request.getSegmentsCount();
        segments.add(request.getSegmentsCount());
      }

      @Override
      public void onError(Throwable cancelled) {}

      @Override
      public void onCompleted() {
        answers.onNext(AppendSegmentsResponse.newBuilder().setNextIndex(nextIndex).build());
        answers.onCompleted();
      }
    };
  }

  @Override
  public StreamObserver<AppendSessionRequest> appendSession(
      StreamObserver<AppendSessionResponse> answers) {
    return new StreamObserver<>() {
      private long nextIndex;

      @Override
      public void onNext(AppendSessionRequest request) {
        nextIndex += request.getSegmentsCount();
        segments.add(request.getSegmentsCount());
        answers.onNext(AppendSessionResponse.newBuilder().setNextIndex(nextIndex).build());
      }

      @Override
      public void onError(Throwable cancelled) {}

      @Override
      public void onCompleted() {
        answers.onCompleted();
      }
    };
  }

  @Override
  public void putSegments(PutSegmentsRequest request, StreamObserver<PutSegmentsResponse> answers) {
    segments.add(request.getSegmentsCount());
    answers.onNext(
        PutSegmentsResponse.newBuilder()
            .setNextIndex(request.getFirstIndex() + request.getSegmentsCount())
            .build());
    answers.onCompleted();
  }
}
