package io.agentjournal.admin;

import com.google.rpc.ErrorInfo;
import io.agentjournal.refusal.Reason;
import io.agentjournal.rpc.RefusalStatus;
import io.agentjournal.rpc.Times;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.GetServerInfoRequest;
import io.agentjournal.v1.GetServerInfoResponse;
import io.grpc.stub.StreamObserver;

/** The RPCs about the server itself. */
public final class AdminService extends AdminServiceGrpc.AdminServiceImplBase {
  private final UnaryCalls calls;
  private final DatabaseFactsStore database;

  /** All of the answer that does not change. */
  private final GetServerInfoResponse server;

  public AdminService(UnaryCalls calls, DatabaseFactsStore database, ServerFacts server) {
    this.calls = calls;
    this.database = database;
    this.server = message(server);
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> observer) {
    calls.answer(observer, this::serverInfo);
  }

  private GetServerInfoResponse serverInfo() {
    DatabaseFacts facts = database.read();
    return server.toBuilder()
        .setSchemaVersion(facts.schemaVersion())
        .setDatabaseTime(Times.message(facts.time()))
        .build();
  }

  private static GetServerInfoResponse message(ServerFacts server) {
    GetServerInfoResponse.Builder message =
        GetServerInfoResponse.newBuilder()
            .setVersion(server.version())
            .setStartedAt(Times.message(server.startedAt()))
            .putAllLimits(server.limits());
    for (Reason reason : Reason.values()) {
      message.addErrors(catalogued(reason));
    }
    return message.build();
  }

  private static ErrorInfo catalogued(Reason reason) {
    ErrorInfo.Builder error =
        ErrorInfo.newBuilder().setDomain(RefusalStatus.DOMAIN).setReason(reason.name());
    reason.factNames().forEach(fact -> error.putMetadata(fact, ""));
    return error.build();
  }
}
