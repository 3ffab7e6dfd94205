package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.rpc.AppendMemory;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.DeleteStreamResponse;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetStreamResponse;
import io.agentjournal.v1.ListStreamsRequest;
import io.agentjournal.v1.ListStreamsResponse;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SealStreamResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The RPCs of streams, of which {@link AppendCalls} has those that append. They never block. */
public final class SegmentService extends SegmentServiceGrpc.SegmentServiceImplBase {
  private final AppendCalls appends;
  private final SegmentReads reads;
  private final Streams streams;
  private final UnaryCalls unary;

  public SegmentService(
      AppendLimits limits,
      Lanes lanes,
      StreamChanges changes,
      Draining draining,
      SegmentReads reads,
      Streams streams,
      UnaryCalls unary) {
    this.reads = reads;
    this.streams = streams;
    this.unary = unary;
    this.appends =
        new AppendCalls(
            new Appends(
                limits,
                new AppendMessages(limits),
                new AppendMemory(limits.maxServerBytes()),
                lanes,
                changes,
                draining));
  }

  /** Of this service and the calls that append. */
  public ServerServiceDefinition definition() {
    return appends.inside(bindService());
  }

  @Override
  public void readSegments(
      ReadSegmentsRequest request, StreamObserver<ReadSegmentsResponse> observer) {
    var call = (ServerCallStreamObserver<ReadSegmentsResponse>) observer;
    new ReadCall(ReadMessages.request(NamespaceInterceptor.current(), request), call, reads)
        .start();
  }

  @Override
  public void getStream(GetStreamRequest request, StreamObserver<GetStreamResponse> observer) {
    StreamKey key = key(request.getStreamKey());
    unary.answer(
        observer,
        () ->
            GetStreamResponse.newBuilder()
                .setStream(StreamMessages.stream(streams.get(key)))
                .build());
  }

  @Override
  public void listStreams(
      ListStreamsRequest request, StreamObserver<ListStreamsResponse> observer) {
    StreamSelection selection = StreamMessages.selection(NamespaceInterceptor.current(), request);
    PageRequest page = PageRequest.of(selection.listName(), request.getPage());
    unary.answer(observer, () -> StreamMessages.page(page, streams.page(selection, page)));
  }

  @Override
  public void sealStream(SealStreamRequest request, StreamObserver<SealStreamResponse> observer) {
    SealRequest seal = SealMessages.request(NamespaceInterceptor.current(), request);
    unary.answer(
        observer,
        () ->
            SealStreamResponse.newBuilder()
                .setApplied(streams.seal(seal))
                .setStream(StreamMessages.stream(streams.get(seal.key())))
                .build());
  }

  @Override
  public void deleteStream(
      DeleteStreamRequest request, StreamObserver<DeleteStreamResponse> observer) {
    StreamKey key = key(request.getStreamKey());
    unary.answer(
        observer, () -> DeleteStreamResponse.newBuilder().setApplied(streams.delete(key)).build());
  }

  private static StreamKey key(String streamKey) {
    return new StreamKey(NamespaceInterceptor.current(), streamKey);
  }
}
