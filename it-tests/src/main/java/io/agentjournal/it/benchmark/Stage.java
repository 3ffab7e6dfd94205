package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * All that takes part, each started when it is first asked for and ended with the stage. Used by
 * one thread.
 */
final class Stage implements AutoCloseable {
  private final Path directory;
  private final Deque<Participant> started = new ArrayDeque<>();
  private @Nullable Journal journal;
  private @Nullable CountingProcess counting;
  private @Nullable RedisStreams redis;
  private @Nullable NatsJetStream nats;
  private @Nullable NatsJetStream syncedNats;
  private @Nullable DurableStreams durableStreams;
  private int freshJournals;

  Stage(Path directory) {
    this.directory = directory;
  }

  Path directory() {
    return directory;
  }

  /** The one that most rows share. */
  Journal journal() throws IOException {
    if (journal == null) {
      journal = started(Journal.start(directory, "journal"));
    }
    return journal;
  }

  /** One with an empty database, which whoever asks for it closes. */
  Journal freshJournal(String... options) throws IOException {
    return Journal.start(directory, "journal-" + ++freshJournals, options);
  }

  CountingProcess counting() throws IOException {
    if (counting == null) {
      counting = started(CountingProcess.start(directory));
    }
    return counting;
  }

  RedisStreams redis() throws IOException, NotInstalled {
    if (redis == null) {
      redis = started(RedisStreams.start(directory));
    }
    return redis;
  }

  NatsJetStream nats() throws IOException, InterruptedException, NotInstalled {
    if (nats == null) {
      nats = started(NatsJetStream.start(directory, "nats.conf"));
    }
    return nats;
  }

  /** With a sync to the disk before each acknowledgement. */
  NatsJetStream syncedNats() throws IOException, InterruptedException, NotInstalled {
    if (syncedNats == null) {
      syncedNats = started(NatsJetStream.start(directory, "nats-sync-always.conf"));
    }
    return syncedNats;
  }

  DurableStreams durableStreams() throws IOException, InterruptedException, NotInstalled {
    if (durableStreams == null) {
      durableStreams = started(DurableStreams.start(directory));
    }
    return durableStreams;
  }

  private <T extends Participant> T started(T participant) {
    started.push(participant);
    return participant;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }
}
