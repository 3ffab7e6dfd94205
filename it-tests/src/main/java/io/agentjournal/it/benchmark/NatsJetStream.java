package io.agentjournal.it.benchmark;

import io.agentjournal.it.FreePort;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;

/**
 * NATS JetStream with its file store, one subject for each stream. Every publish is acknowledged;
 * what differs is whether the next one waits for it.
 */
final class NatsJetStream implements Participant {
  static final String NAME = "NATS JetStream";
  static final String NAME_SYNCED = "NATS JetStream, sync always";

  private static final String STREAM = "TOKENS";
  private static final int CONNECTIONS = 4;

  /** Publishes of a connection that are not yet acknowledged. */
  private static final int UNDER_WAY = 1000;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final byte[] TOKEN = SegmentLoad.TOKEN.getBytes(StandardCharsets.UTF_8);

  private final Process server;
  private final List<Connection> connections = new ArrayList<>();
  private final List<JetStream> publishers = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private NatsJetStream(Process server, String url) throws IOException, InterruptedException {
    this.server = server;
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection =
          Nats.connect(
              Options.builder()
                  .server(url)
                  .maxReconnects(-1)
                  .maxMessagesInOutgoingQueue(2 * UNDER_WAY)
                  .build());
      connections.add(connection);
      publishers.add(
          connection.jetStream(JetStreamOptions.builder().requestTimeout(PATIENCE).build()));
    }
  }

  /** Of the installed servers it takes the first that understands the configuration. */
  static NatsJetStream start(Path parent, String configuration)
      throws IOException, InterruptedException, NotInstalled {
    Path unused = Programs.first("nats-server");
    Path directory = parent.resolve(configuration.replace(".conf", ""));
    String file = Programs.copy(configuration, directory).toString();
    String why = "";
    for (Path program : Programs.all("nats-server")) {
      why = Programs.run(directory, program.toString(), "-c", file, "-t").strip();
      if (why.contains("is valid")) {
        return start(directory, program, file);
      }
    }
    throw new NotInstalled("this nats-server is too old: " + why.replace(file, configuration));
  }

  private static NatsJetStream start(Path directory, Path program, String file)
      throws IOException, InterruptedException {
    String port = Integer.toString(FreePort.find());
    Process server =
        Programs.start(
            directory,
            "nats.log",
            program.toString(),
            "-c",
            file,
            "-p",
            port,
            "-sd",
            directory.resolve("store").toString());
    Programs.awaitPort(server, Integer.parseInt(port));
    return new NatsJetStream(server, "nats://127.0.0.1:" + port);
  }

  /** Messages in a second, as the stream counts them afterwards. Blocks. */
  double perSecond(boolean acknowledgedEach, int subjects, Duration time) throws Exception {
    renewStream();
    failures.clear();
    long start = System.nanoTime();
    long end = start + time.toNanos();
    if (acknowledgedEach) {
      publishOneByOne(subjects, end);
    } else {
      publishAll(subjects, end);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    Throwable failure = failures.peek();
    if (failure != null) {
      throw new IOException(failures.size() + " publishes failed", failure);
    }
    return stored() / seconds;
  }

  private void publishOneByOne(int subjects, long end) {
    Phaser running = new Phaser(1);
    for (int number = 0; number < subjects; number++) {
      running.register();
      publishNext(publishers.get(number % CONNECTIONS), "tokens." + number, end, running);
    }
    running.arriveAndAwaitAdvance();
  }

  private void publishNext(JetStream publisher, String subject, long end, Phaser running) {
    var unused =
        publisher
            .publishAsync(subject, TOKEN)
            .whenComplete(
                (acknowledged, failure) -> {
                  if (failure != null) {
                    failures.add(failure);
                    running.arriveAndDeregister();
                  } else if (System.nanoTime() >= end) {
                    running.arriveAndDeregister();
                  } else {
                    publishNext(publisher, subject, end, running);
                  }
                });
  }

  private void publishAll(int subjects, long end) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int number = 0; number < CONNECTIONS; number++) {
      JetStream publisher = publishers.get(number);
      int first = number;
      Thread thread = new Thread(() -> publishUntil(publisher, first, subjects, end));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void publishUntil(JetStream publisher, int first, int subjects, long end) {
    Semaphore underWay = new Semaphore(UNDER_WAY);
    for (int subject = first; System.nanoTime() < end; subject = next(subject, first, subjects)) {
      underWay.acquireUninterruptibly();
      var unused =
          publisher
              .publishAsync("tokens." + subject, TOKEN)
              .whenComplete(
                  (acknowledged, failure) -> {
                    underWay.release();
                    if (failure != null) {
                      failures.add(failure);
                    }
                  });
    }
    underWay.acquireUninterruptibly(UNDER_WAY);
  }

  private static int next(int subject, int first, int subjects) {
    int next = subject + CONNECTIONS;
    return next < subjects ? next : first;
  }

  private void renewStream() throws IOException, JetStreamApiException {
    var management = connections.get(0).jetStreamManagement();
    if (management.getStreamNames().contains(STREAM)) {
      management.deleteStream(STREAM);
    }
    var unused =
        management.addStream(
            StreamConfiguration.builder()
                .name(STREAM)
                .subjects("tokens.*")
                .storageType(StorageType.File)
                .build());
  }

  private long stored() throws IOException, JetStreamApiException {
    return connections
        .get(0)
        .jetStreamManagement()
        .getStreamInfo(STREAM)
        .getStreamState()
        .getMsgCount();
  }

  @Override
  public void close() {
    try {
      for (Connection connection : connections) {
        connection.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Programs.end(server);
  }
}
