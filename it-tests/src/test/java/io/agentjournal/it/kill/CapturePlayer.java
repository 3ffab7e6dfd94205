package io.agentjournal.it.kill;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.client.SegmentWriterBuilder;
import io.agentjournal.it.kill.Ledger.Column;
import io.agentjournal.v1.Segment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that plays captures into streams through the client library, all at the same time and
 * each in about the same time. It knows nothing of a predecessor: what is stored already it asks
 * the server, stream by stream, and goes on from there.
 */
final class CapturePlayer {
  private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(200).toNanos();
  private static final int LONGEST_BURST = 4;

  /** Some segments: who is not heard does not speak on. */
  private static final int WINDOW_BYTES = 8 << 10;

  private final Order order;
  private final Ledger ledger;
  private final JournalClient client;

  private CapturePlayer(Order order) {
    this.order = order;
    this.ledger = new Ledger(order.ledger(), order.files().size());
    List<String> keys = order.files().stream().map(order::streamKey).toList();
    this.client =
        JournalClient.to(order.target())
            .plaintext()
            .retry(Duration.ofMillis(250), Duration.ofMinutes(5))
            .intercept(new AppendWitness(ledger, keys))
            .build();
  }

  /**
   * What a player is told.
   *
   * @param epoch which player it is, counted from 0: it shuts out those before it
   * @param playTime how long each of the files takes
   */
  record Order(
      String target,
      Path ledger,
      String prefix,
      long epoch,
      Duration playTime,
      long seed,
      List<Path> files) {

    static Order parse(String[] arguments) {
      return new Order(
          arguments[0],
          Path.of(arguments[1]),
          arguments[2],
          Long.parseLong(arguments[3]),
          Duration.parse(arguments[4]),
          Long.parseLong(arguments[5]),
          Arrays.stream(arguments).skip(6).map(Path::of).toList());
    }

    List<String> arguments() {
      List<String> arguments = new ArrayList<>();
      arguments.add(target);
      arguments.add(ledger.toString());
      arguments.add(prefix);
      arguments.add(Long.toString(epoch));
      arguments.add(playTime.toString());
      arguments.add(Long.toString(seed));
      files.forEach(file -> arguments.add(file.toString()));
      return arguments;
    }

    String streamKey(Path file) {
      return prefix + "/" + file.getFileName();
    }
  }

  public static void main(String[] arguments) throws Exception {
    new CapturePlayer(Order.parse(arguments)).play();
  }

  private void play() throws Exception {
    int count = order.files().size();
    ExecutorService threads = Executors.newFixedThreadPool(count);
    List<Future<?>> played = new ArrayList<>();
    for (int stream = 0; stream < count; stream++) {
      int number = stream;
      played.add(
          threads.submit(
              () -> {
                play(number);
                return null;
              }));
    }
    for (Future<?> each : played) {
      each.get();
    }
    threads.shutdown();
    client.close();
  }

  private void play(int stream) throws InterruptedException {
    Path file = order.files().get(stream);
    Capture capture = Capture.read(file);
    Random random = new Random(order.seed() + stream);
    long interval = order.playTime().toNanos() / capture.lines().size();
    SegmentWriterBuilder builder =
        client.writer(order.streamKey(file)).resume().windowBytes(WINDOW_BYTES);
    if (Variety.isFenced(stream)) {
      builder.writerEpoch(order.epoch());
    }
    try (SegmentWriter writer = builder.open()) {
      LockSupport.parkNanos(Math.min(interval, random.nextLong(LONGEST_PAUSE_NANOS)));
      int next = (int) writer.startIndex();
      while (next < capture.lines().size()) {
        int burst = Math.min(1 + random.nextInt(LONGEST_BURST), capture.lines().size() - next);
        for (int i = 0; i < burst; i++) {
          append(writer, capture.segment(next + i, Variety.isText(stream)), next + i);
        }
        next += burst;
        LockSupport.parkNanos(interval * burst);
      }
      writer.finish("stop");
      ledger.set(stream, Column.FINISHED, 1);
    }
  }

  private static void append(SegmentWriter writer, Segment segment, int index)
      throws InterruptedException {
    long stored =
        segment.hasText() ? writer.append(segment.getText()) : writer.append(segment.getData());
    if (stored != index) {
      throw new IllegalStateException("line %d became segment %d".formatted(index, stored));
    }
  }
}
