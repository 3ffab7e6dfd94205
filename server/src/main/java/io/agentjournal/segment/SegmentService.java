package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.rpc.AppendMemory;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.DeleteStreamResponse;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetStreamResponse;
import io.agentjournal.v1.ListStreamsRequest;
import io.agentjournal.v1.ListStreamsResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SealStreamResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

/** The RPCs of streams. Its methods run on event loops and never block. */
public final class SegmentService extends SegmentServiceGrpc.SegmentServiceImplBase {
  private final Appends appends;
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
        new Appends(
            limits,
            new AppendMessages(limits),
            new AppendMemory(limits.maxServerBytes()),
            lanes,
            changes,
            draining);
  }

  @Override
  public StreamObserver<AppendSegmentsRequest> appendSegments(
      StreamObserver<AppendSegmentsResponse> observer) {
    var call = (ServerCallStreamObserver<AppendSegmentsResponse>) observer;
    return messages(
        call,
        SegmentServiceGrpc.getAppendSegmentsMethod().getFullMethodName(),
        new AppendAnswers.AtTheEnd(call),
        AppendMessage::of);
  }

  @Override
  public StreamObserver<AppendSessionRequest> appendSession(
      StreamObserver<AppendSessionResponse> observer) {
    var call = (ServerCallStreamObserver<AppendSessionResponse>) observer;
    return messages(
        call,
        SegmentServiceGrpc.getAppendSessionMethod().getFullMethodName(),
        new AppendAnswers.AsItGrows(call),
        AppendMessage::of);
  }

  @Override
  public void putSegments(
      PutSegmentsRequest request, StreamObserver<PutSegmentsResponse> observer) {
    if (!request.hasOpen()) {
      throw InvalidField.because("open", "missing");
    }
    if (appends.memory().isFull()) {
      throw new Overloaded("append_bytes_under_way");
    }
    ((ServerCallStreamObserver<PutSegmentsResponse>) observer).setOnCancelHandler(() -> {});
    PutCall call =
        new PutCall(
            SegmentServiceGrpc.getPutSegmentsMethod().getFullMethodName(),
            appends.memory(),
            observer);
    OpenedStream stream = OpenedStream.of(NamespaceInterceptor.current(), request.getOpen());
    Batch batch = appends.messages().batch(stream, AppendMessage.of(request), call);
    appends.memory().take(batch.sizeBytes());
    appends.lanes().submit(batch);
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

  private <ReqT> StreamObserver<ReqT> messages(
      ServerCallStreamObserver<?> observer,
      String method,
      AppendAnswers answers,
      Function<ReqT, AppendMessage> message) {
    AppendCall call =
        new AppendCall(method, NamespaceInterceptor.current(), appends, observer, answers);
    return new StreamObserver<>() {
      @Override
      public void onNext(ReqT request) {
        call.message(message.apply(request));
      }

      @Override
      public void onError(Throwable cancellation) {
        // The cancel handler has it.
      }

      @Override
      public void onCompleted() {
        call.halfClosed();
      }
    };
  }
}
