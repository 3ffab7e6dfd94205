package io.agentjournal.server;

import io.agentjournal.admin.AdminService;
import io.agentjournal.admin.DatabaseFactsStore;
import io.agentjournal.admin.ServerFacts;
import io.agentjournal.database.Database;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.DurabilityCheck;
import io.agentjournal.database.Migrations;
import io.agentjournal.database.OwnPostgres;
import io.agentjournal.database.SchemaHistory;
import io.agentjournal.database.Transactions;
import io.agentjournal.event.WatchSubmissionCalls;
import io.agentjournal.recovery.OverdueStore;
import io.agentjournal.recovery.ReconcileStore;
import io.agentjournal.recovery.Reconciler;
import io.agentjournal.recovery.RecoverableWatch;
import io.agentjournal.recovery.RecoveryService;
import io.agentjournal.recovery.RecoveryStore;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.RequiredRoles;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.run.AppendLanes;
import io.agentjournal.run.RunService;
import io.agentjournal.segment.AppendLimits;
import io.agentjournal.segment.Lanes;
import io.agentjournal.segment.SegmentReads;
import io.agentjournal.segment.SegmentService;
import io.agentjournal.segment.StreamChanges;
import io.agentjournal.segment.StreamCompaction;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.segment.StreamSweep;
import io.agentjournal.segment.StreamWatch;
import io.agentjournal.segment.Streams;
import io.agentjournal.session.SessionService;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.submission.SubmissionService;
import io.agentjournal.submission.SubmissionStores;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import io.agentjournal.turn.TurnJournalService;
import io.agentjournal.turn.TurnStores;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server: the only place that says {@code new} for its parts. They start in the order in which
 * the constructor makes them, and {@link #close} ends them in the reverse.
 */
public final class JournalServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalServer.class);

  /** Commits of run events under way at one time. */
  private static final int RUN_LANES = 2;

  private static final int MAX_APPENDS_PER_COMMIT = 4_000;

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final GrpcEndpoint endpoint;

  /** Blocks until calls are answered. What had started is closed again when the rest cannot. */
  public JournalServer(ServerSettings settings) {
    try {
      DatabaseAddress address = databaseFor(settings);
      Database database = starting(new Database(address, settings.poolSize()));
      Transactions transactions = new Transactions(database);
      new DurabilityCheck(transactions).require();
      if (!new SchemaHistory(transactions).isUpToDate()) {
        new Migrations(address).run();
      }

      Draining draining = new Draining();
      int blockingThreads = Math.max(1, settings.poolSize() - settings.lanes() - RUN_LANES);
      BlockingPool pool = starting(new BlockingPool(blockingThreads, settings.queuedCalls()));
      AppendLimits appendLimits = AppendLimits.DEFAULT;
      // A connection of its own: what it finds out must not wait behind what everybody else does.
      Transactions watching = new Transactions(starting(Database.ofOneConnection(address)));
      StreamChanges changes = new StreamChanges();
      Streams allStreams = new Streams(transactions, changes);
      SegmentReads reads = starting(new SegmentReads(transactions, changes, pool, draining));
      SegmentService segmentService =
          segmentService(
              settings,
              address,
              changes,
              allStreams,
              appendLimits,
              transactions,
              watching,
              reads,
              pool,
              draining);
      SessionRows sessions = new SessionRows();
      TranscriptStore transcript = new TranscriptStore(sessions);
      SlotRows slots = new SlotRows();
      StreamHeads streams = new StreamHeads();
      SubmissionStores submissions = new SubmissionStores(sessions, transcript, slots, streams);
      TurnStores turns = new TurnStores(submissions, sessions, transcript, slots, streams);
      WatchSubmissionCalls watches =
          starting(new WatchSubmissionCalls(transactions, watching, reads));
      SubmissionService submissionService =
          starting(
              new SubmissionService(
                  pool, draining, transactions, submissions, settings.abortGrace(), watches));
      RecoveryStore recoveries = new RecoveryStore(submissions, slots);
      OverdueStore overdue = new OverdueStore(transactions, recoveries);
      RecoverableWatch recoverableWatch = starting(new RecoverableWatch(overdue));
      starting(
          new Reconciler(
              new ReconcileStore(transactions, submissions, sessions, slots),
              settings.reconcileInterval()));
      SessionService sessionService =
          starting(
              new SessionService(
                  pool, transactions, sessions, transcript, submissions, allStreams));
      int appendsPerCommit = settings.flushesPerBucket() ? 1 : MAX_APPENDS_PER_COMMIT;
      AppendLanes runLanes =
          starting(
              new AppendLanes(
                  transactions, pool, RUN_LANES, appendsPerCommit, AppendLanes.MAX_WAITING_BYTES));
      List<ServerServiceDefinition> services =
          bound(
              adminService(pool, transactions, appendLimits),
              segmentService::definition,
              new TurnJournalService(
                  transactions, new UnaryCalls(pool), new StreamedAnswers(pool), turns),
              submissionService,
              sessionService,
              new RecoveryService(
                  transactions, pool, draining, recoveries, overdue, recoverableWatch),
              new RunService(transactions, pool, runLanes, draining));
      RequiredRoles roles = RequiredRoles.of(services);
      LOG.debug("{} methods with a role", roles.byFullMethodName().size());

      HealthStatusManager health = new HealthStatusManager();
      starting(new DatabaseHealth(transactions, health, names(services)));
      this.endpoint = starting(new GrpcEndpoint(settings, services, health, draining));
      database.fill();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private DatabaseAddress databaseFor(ServerSettings settings) {
    DatabaseAddress named = settings.database();
    if (named != null) {
      return named;
    }
    LOG.info("Starting PostgreSQL in {}", settings.dataDirectory().toAbsolutePath());
    return starting(new OwnPostgres(settings.dataDirectory(), settings.binariesDirectory()))
        .address();
  }

  private static AdminService adminService(
      BlockingPool pool, Transactions transactions, AppendLimits appendLimits) {
    DatabaseFactsStore database = new DatabaseFactsStore(transactions);
    ServerFacts server =
        new ServerFacts(Version.current(), database.read().time(), Limits.byName(appendLimits));
    return new AdminService(new UnaryCalls(pool), database, server);
  }

  private SegmentService segmentService(
      ServerSettings settings,
      DatabaseAddress address,
      StreamChanges changes,
      Streams streams,
      AppendLimits limits,
      Transactions transactions,
      Transactions watching,
      SegmentReads reads,
      BlockingPool pool,
      Draining draining) {
    Lanes lanes =
        starting(
            new Lanes(
                transactions, limits, settings.lanes(), settings.flushesPerBucket(), changes));
    starting(new StreamWatch(watching, changes));
    starting(new StreamSweep(transactions));
    if (settings.compactPercent() > 0) {
      // A connection of its own: it neither waits for calls nor they for it.
      Transactions compacting = new Transactions(starting(Database.ofOneConnection(address)));
      starting(
          new StreamCompaction(compacting, settings.compactAfter(), settings.compactPercent()));
    }
    return new SegmentService(
        limits, lanes, changes, draining, reads, streams, new UnaryCalls(pool));
  }

  private static List<ServerServiceDefinition> bound(BindableService... services) {
    return Arrays.stream(services).map(BindableService::bindService).toList();
  }

  private static List<String> names(List<ServerServiceDefinition> services) {
    return services.stream().map(service -> service.getServiceDescriptor().getName()).toList();
  }

  private <T extends AutoCloseable> T starting(T part) {
    started.push(part);
    return part;
  }

  public int port() {
    return endpoint.port();
  }

  /** Host and port as a client writes them. */
  public String address() {
    return endpoint.address();
  }

  /** Blocks until somebody closes the server. */
  public void awaitTermination() {
    try {
      endpoint.awaitTermination();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        LOG.error("{} did not close", part, e);
      }
    }
  }
}
