package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.GetReceiptResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListAttemptMarkersResponse;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.ListSubmissionsResponse;
import io.agentjournal.v1.ReadInputRequest;
import io.agentjournal.v1.ReadInputResponse;
import io.grpc.stub.StreamObserver;

/** Those calls of SubmissionService that only read. */
final class SubmissionReadCalls {
  private final UnaryCalls calls;
  private final StreamedAnswers streamed;
  private final Transactions transactions;
  private final SubmissionStores stores;

  SubmissionReadCalls(
      UnaryCalls calls,
      StreamedAnswers streamed,
      Transactions transactions,
      SubmissionStores stores) {
    this.calls = calls;
    this.streamed = streamed;
    this.transactions = transactions;
    this.stores = stores;
  }

  void get(GetSubmissionRequest request, StreamObserver<GetSubmissionResponse> observer) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    calls.answer(
        observer,
        () ->
            SubmissionAnswers.overview(
                transactions.snapshot("GetSubmission", tx -> stores.overviews().read(tx, id))));
  }

  void input(ReadInputRequest request, StreamObserver<ReadInputResponse> observer) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    streamed.answer(
        observer,
        () ->
            SubmissionAnswers.inputParts(
                transactions.readOnly("ReadInput", tx -> stores.inputs().read(tx, id))));
  }

  void list(ListSubmissionsRequest request, StreamObserver<ListSubmissionsResponse> observer) {
    SubmissionSelection selection = SubmissionRequests.selection(request);
    PageRequest page = PageRequest.of(selection.listName(), request.getPage());
    calls.answer(
        observer,
        () ->
            SubmissionAnswers.page(
                page,
                selection,
                transactions.snapshot(
                    "ListSubmissions",
                    tx -> stores.lists().list(tx, selection, page.after(), page.size()))));
  }

  void attempts(
      ListAttemptMarkersRequest request, StreamObserver<ListAttemptMarkersResponse> observer) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    PageRequest page = PageRequest.of("attempts of " + id.id(), request.getPage());
    int afterNumber = page.after() == null ? 0 : Integer.parseInt(page.after());
    calls.answer(
        observer,
        () ->
            SubmissionAnswers.markers(
                page,
                afterNumber,
                transactions.readOnly(
                    "ListAttemptMarkers",
                    tx -> stores.overviews().attempts(tx, id, afterNumber, page.size()))));
  }

  void receipt(GetReceiptRequest request, StreamObserver<GetReceiptResponse> observer) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    calls.answer(
        observer,
        () -> {
          Receipt receipt =
              transactions.readOnly("GetReceipt", tx -> stores.admissions().receipt(tx, id));
          return GetReceiptResponse.newBuilder()
              .setReceipt(SubmissionMessages.from(receipt))
              .build();
        });
  }
}
