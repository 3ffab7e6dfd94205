package io.agentjournal.session;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.KeyPrefix;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.segment.Streams;
import io.agentjournal.session.EntryAnswers.PayloadSource;
import io.agentjournal.session.PathStore.PathPart;
import io.agentjournal.session.PathStore.PathWish;
import io.agentjournal.submission.SubmissionRequests;
import io.agentjournal.submission.SubmissionStores;
import io.agentjournal.transcript.AppendedEntries;
import io.agentjournal.transcript.Entry;
import io.agentjournal.transcript.EntryMessages;
import io.agentjournal.transcript.EntryReadRows;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.AppendEntriesResponse;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.DeleteSessionResponse;
import io.agentjournal.v1.GetSessionRequest;
import io.agentjournal.v1.GetSessionResponse;
import io.agentjournal.v1.ListEnd;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListEntriesResponse;
import io.agentjournal.v1.ListPendingSessionDeletionsRequest;
import io.agentjournal.v1.ListPendingSessionDeletionsResponse;
import io.agentjournal.v1.ListSessionsRequest;
import io.agentjournal.v1.ListSessionsResponse;
import io.agentjournal.v1.PathEnd;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadActivePathResponse;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SetLeafRequest;
import io.agentjournal.v1.SetLeafResponse;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of SessionService. To be closed when there are no calls any more. */
public final class SessionService extends SessionServiceGrpc.SessionServiceImplBase
    implements AutoCloseable {
  private final UnaryCalls calls;
  private final StreamedAnswers streamed;
  private final Transactions transactions;
  private final LeafStore leaves;
  private final SessionDeletions deletions;
  private final SessionStore sessions = new SessionStore();
  private final EntryReadRows entries = new EntryReadRows();
  private final PathStore paths = new PathStore(sessions, entries);

  /** Starts the thread that finishes deletions. */
  public SessionService(
      BlockingPool pool,
      Transactions transactions,
      SessionRows rows,
      TranscriptStore transcript,
      SubmissionStores submissions,
      Streams streams) {
    this.calls = new UnaryCalls(pool);
    this.streamed = new StreamedAnswers(pool);
    this.transactions = transactions;
    this.leaves = new LeafStore(rows, submissions.rows(), submissions.queue(), transcript);
    DeletionStore store = new DeletionStore(rows, submissions.queue());
    this.deletions = new SessionDeletions(transactions, store, streams);
  }

  private static SessionKey key(String sessionKey) {
    return new SessionKey(NamespaceInterceptor.current(), sessionKey);
  }

  private static @Nullable String entryId(String field, String entryId) {
    return entryId.isEmpty() ? null : Identifier.check(field, entryId);
  }

  @Override
  public void appendEntries(
      AppendEntriesRequest request, StreamObserver<AppendEntriesResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    AttemptId attempt =
        request.hasAttempt() ? SubmissionRequests.attempt(request.getAttempt()) : null;
    NewEntries added =
        EntryMessages.from(
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            attempt == null ? null : attempt.submission().id(),
            null);
    if (added.isEmpty()) {
      throw InvalidField.because("entries", "none");
    }
    calls.answer(
        observer,
        () -> {
          AppendedEntries appended =
              transactions.run("AppendEntries", tx -> leaves.append(tx, key, added, attempt));
          AppendEntriesResponse.Builder response =
              AppendEntriesResponse.newBuilder().setApplied(appended.applied());
          if (appended.leafId() != null) {
            response.setLeafId(appended.leafId());
          }
          return response.build();
        });
  }

  @Override
  public void setLeaf(SetLeafRequest request, StreamObserver<SetLeafResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    AttemptId attempt =
        request.hasAttempt() ? SubmissionRequests.attempt(request.getAttempt()) : null;
    String leafId = entryId("leaf_id", request.getLeafId());
    String expected = request.hasExpectedLeafId() ? request.getExpectedLeafId() : null;
    calls.answer(
        observer,
        () ->
            SetLeafResponse.newBuilder()
                .setApplied(
                    transactions.run(
                        "SetLeaf", tx -> leaves.setLeaf(tx, key, leafId, expected, attempt)))
                .build());
  }

  @Override
  public void getSession(GetSessionRequest request, StreamObserver<GetSessionResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    calls.answer(
        observer,
        () ->
            GetSessionResponse.newBuilder()
                .setSession(
                    SessionMessages.from(
                        transactions.readOnly("GetSession", tx -> sessions.get(tx, key))))
                .build());
  }

  @Override
  public void listSessions(
      ListSessionsRequest request, StreamObserver<ListSessionsResponse> observer) {
    Namespace namespace = NamespaceInterceptor.current();
    KeyPrefix prefix = new KeyPrefix(request.getKeyPrefix(), Identifier.MAX_BYTES);
    PageRequest page = PageRequest.of("sessions " + prefix.text(), request.getPage());
    String after = page.after() == null ? "" : page.after();
    calls.answer(
        observer,
        () ->
            SessionMessages.page(
                page,
                transactions.readOnly(
                    "ListSessions",
                    tx -> sessions.list(tx, namespace, prefix, after, page.size() + 1))));
  }

  @Override
  public void readActivePath(
      ReadActivePathRequest request, StreamObserver<ReadActivePathResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    PathWish wish =
        new PathWish(
            key,
            entryId("leaf_id", request.getLeafId()),
            request.hasLast() ? last(request.getLast()) : null,
            entryId("after_entry_id", request.getAfterEntryId()));
    streamed.answer(observer, () -> path(wish));
  }

  private static int last(int last) {
    if (last < 1) {
      throw InvalidField.ofValue("last", Integer.toString(last), "not 1 or more");
    }
    return last;
  }

  private Iterator<ReadActivePathResponse> path(PathWish wish) {
    PathPart part = transactions.snapshot("ReadActivePath", tx -> paths.part(tx, wish));
    Entry end = part.end();
    EntryPages pages =
        end == null
            ? List::of
            : new PathPages(transactions, entries, wish.session(), end, part.fromDepth());
    String leafId = end == null ? "" : end.entryId();
    return new EntryAnswers<>(
        pages,
        PayloadSource.in(transactions, entries, wish.session()),
        list -> ReadActivePathResponse.newBuilder().addAllEntries(list).build(),
        count ->
            ReadActivePathResponse.newBuilder()
                .setEnd(PathEnd.newBuilder().setLeafId(leafId).setEntryCount(count))
                .build());
  }

  @Override
  public void listEntries(
      ListEntriesRequest request, StreamObserver<ListEntriesResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    String afterId = entryId("after_entry_id", request.getAfterEntryId());
    boolean withoutPayload = request.getWithoutPayload();
    streamed.answer(
        observer,
        () -> {
          long after = transactions.snapshot("ListEntries", tx -> paths.numberOf(tx, key, afterId));
          return new EntryAnswers<>(
              new OrderedPages(transactions, entries, key, after),
              withoutPayload ? null : PayloadSource.in(transactions, entries, key),
              list -> ListEntriesResponse.newBuilder().addAllEntries(list).build(),
              count ->
                  ListEntriesResponse.newBuilder()
                      .setEnd(ListEnd.newBuilder().setEntryCount(count))
                      .build());
        });
  }

  @Override
  public void deleteSession(
      DeleteSessionRequest request, StreamObserver<DeleteSessionResponse> observer) {
    SessionKey key = key(request.getSessionKey());
    calls.answer(
        observer,
        () -> DeleteSessionResponse.newBuilder().setApplied(deletions.delete(key)).build());
  }

  @Override
  public void listPendingSessionDeletions(
      ListPendingSessionDeletionsRequest request,
      StreamObserver<ListPendingSessionDeletionsResponse> observer) {
    Namespace namespace = NamespaceInterceptor.current();
    PageRequest page = PageRequest.of("pending session deletions", request.getPage());
    String after = page.after() == null ? "" : page.after();
    calls.answer(
        observer,
        () ->
            SessionMessages.deletions(
                page,
                transactions.readOnly(
                    "ListPendingSessionDeletions",
                    tx -> sessions.deleting(tx, namespace, after, page.size() + 1))));
  }

  @Override
  public void close() {
    deletions.close();
  }
}
