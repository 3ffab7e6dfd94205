package io.agentjournal.it.kill;

import io.agentjournal.it.JavaProcess;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.kill.Ledger.Column;
import io.agentjournal.testing.Wait;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * All captures played once, from their first segment to their end, over as many kills as fit.
 *
 * <ol>
 *   <li>let the writer get somewhere, for a random time;
 *   <li>look for a moment when segments are sent and not acknowledged, and kill;
 *   <li>start again what was killed: the same server, or another writer that knows nothing;
 *   <li>read every stream and compare it with its file and with what was acknowledged.
 * </ol>
 */
final class Round implements AutoCloseable {
  private static final Duration PLAY_TIME = Duration.ofSeconds(4);
  private static final long LONGEST_RUN_NANOS = Duration.ofMillis(300).toNanos();
  private static final long AIM_NANOS = Duration.ofMillis(250).toNanos();

  private final ServerProcess server;
  private final ManagedChannel channel;
  private final Path directory;
  private final String name;
  private final List<Path> files = Capture.files();
  private final List<Capture> captures = files.stream().map(Capture::read).toList();
  private final Random random;
  private final Findings findings;

  /** What any writer of this round was told, stream by stream. */
  private final long[] acknowledged = new long[files.size()];

  private int writers;
  private Ledger ledger;
  private JavaProcess writer;

  Round(ServerProcess server, Path directory, int number, Random random, Findings findings) {
    this.server = server;
    this.channel = server.channel();
    this.directory = directory;
    this.name = "round-" + number;
    this.random = random;
    this.findings = findings;
    startWriter();
  }

  /** Plays to the end, and kills meanwhile as long as there are kills left. */
  void play(int kills) {
    while (findings.kills() < kills && awaitMomentToKill()) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> killServer(false);
        case 3 -> killServer(true);
        default -> killWriter();
      }
      compareAll();
    }
    Wait.until("every file is played", this::isPlayed);
    heed();
    compareAll();
    requireComplete();
    for (long each : acknowledged) {
      findings.acknowledged += each;
    }
  }

  /** False: everything is played. */
  private boolean awaitMomentToKill() {
    long before = ledger.sum(Column.ACKED);
    Wait.until("the writer gets on", () -> ledger.sum(Column.ACKED) > before || isPlayed());
    LockSupport.parkNanos(random.nextLong(LONGEST_RUN_NANOS));
    long aimed = System.nanoTime();
    while (!ledger.hasSegmentsUnderWay() && System.nanoTime() - aimed < AIM_NANOS) {
      Thread.onSpinWait();
    }
    return !isPlayed();
  }

  private boolean isPlayed() {
    if (!writer.isAlive() && !ledger.isFinished()) {
      throw new AssertionError("the writer ended by itself" + writer.told());
    }
    return ledger.isFinished();
  }

  private void killServer(boolean withPostgres) {
    long[] sent = ledger.column(Column.SENT);
    long[] acked = ledger.column(Column.ACKED);
    long[] cuts = ledger.column(Column.CUTS);
    server.kill9();
    if (withPostgres) {
      server.postgres().kill9();
      findings.postgresKills++;
    } else {
      findings.serverKills++;
    }
    Wait.until("the writer hears of it", () -> allCut(sent, acked, cuts));
    // Acknowledged with the server's last breath is acknowledged.
    boolean unacknowledged =
        IntStream.range(0, sent.length)
            .anyMatch(stream -> sent[stream] > ledger.get(stream, Column.ACKED_AT_CUT));
    findings.inFlight += unacknowledged ? 1 : 0;
    server.startAgain();
  }

  /**
   * Whether the calls with segments under way have ended, so that nothing more is heard on them.
   */
  private boolean allCut(long[] sent, long[] acked, long[] cuts) {
    return IntStream.range(0, sent.length)
        .allMatch(
            stream ->
                sent[stream] <= acked[stream] || ledger.get(stream, Column.CUTS) > cuts[stream]);
  }

  private void killWriter() {
    writer.kill9();
    findings.writerKills++;
    findings.inFlight += ledger.hasSegmentsUnderWay() ? 1 : 0;
    startWriter();
  }

  private void startWriter() {
    if (writer != null) {
      heed();
      writer.close();
    }
    Path file = directory.resolve("%s-writer-%d".formatted(name, writers));
    ledger = new Ledger(file, files.size());
    CapturePlayer.Order order =
        new CapturePlayer.Order(
            server.target(), file, name, writers, PLAY_TIME, random.nextLong(), files);
    writer =
        JavaProcess.startMain(
            CapturePlayer.class, order.arguments(), directory.resolve("writer.log"), line -> {});
    writers++;
  }

  /** Takes over from the ledger what its writer was told. */
  private void heed() {
    for (int stream = 0; stream < acknowledged.length; stream++) {
      acknowledged[stream] = Math.max(acknowledged[stream], ledger.get(stream, Column.ACKED));
    }
    findings.resentBelowNextIndex += ledger.sum(Column.SENT_BELOW);
  }

  private void compareAll() {
    long[] acked = ledger.column(Column.ACKED);
    for (int stream = 0; stream < acknowledged.length; stream++) {
      stored(stream)
          .compare(
              captures.get(stream),
              Variety.isText(stream),
              Math.max(acknowledged[stream], acked[stream]),
              findings);
    }
  }

  private void requireComplete() {
    for (int stream = 0; stream < acknowledged.length; stream++) {
      if (!stored(stream).isComplete()) {
        throw new AssertionError(files.get(stream) + " is played and not complete");
      }
    }
  }

  private StoredStream stored(int stream) {
    return StoredStream.read(channel, name + "/" + captures.get(stream).name());
  }

  @Override
  public void close() {
    writer.close();
    channel.shutdownNow();
    try {
      channel.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
