package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamEnd;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a token takes on the disk when its stream has ended, been compacted in the background and
 * been vacuumed. Streams come and end again and again, as many tokens each time, and what counts is
 * what the last generation adds: the room that earlier ones have left is used anew. Were the last
 * one larger than those before, the room that it takes while it is written would count as well.
 */
final class AtRestRow implements Row {
  private static final int STREAMS = 200;

  /** As in the rows of whole turns. */
  private static final int TOKENS_PER_STREAM = 200;

  private static final int GENERATIONS = 5;
  private static final String OPEN = "while the streams are open";
  private static final String WORDS = "compacted, where the tokens are made of words";
  private static final double GOAL_BYTES = 30;
  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final long POLL_MILLIS = 100;

  /** As soon and as fast as it can, so that nobody waits for it. */
  private static final String[] COMPACTING = {"--compact-after=1s", "--compact-percent=100"};

  private static final String SIZE =
      "SELECT sum(pg_total_relation_size(name))::bigint FROM unnest(ARRAY['streams', 'extents', 'compact_extents']) AS name";

  /** Used again by the streams that are open next. */
  private static final String EMPTIED = "SELECT pg_total_relation_size('extents')";

  private static final String TOKENS = "SELECT COALESCE(sum(next_index), 0)::bigint FROM streams";

  private static final String LEFT = "SELECT count(*) FROM extents";

  private final Question question =
      new Question(
          name(),
          "at rest: a token of 24 random bytes, with heads and indexes",
          "bytes",
          List.of(Goal.atMost(GOAL_BYTES)));

  @Override
  public String name() {
    return "at-rest";
  }

  @Override
  public List<Question> questions() {
    return List.of(question);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    results.next(false);
    results.add(question, Finding.OURS, bytes(stage, results, Tokens::random));
    results.add(question, WORDS, bytes(stage, results, Tokens::words));
  }

  /** What the last generation adds for each of its tokens. */
  private double bytes(Stage stage, Results results, Supplier<Segment> tokens) throws Exception {
    try (Journal journal = stage.freshJournal(COMPACTING)) {
      JdbcAccess tables = journal.tables();
      long added = 0;
      long size = 0;
      long stored = 0;
      for (int generation = 0; generation < GENERATIONS; generation++) {
        String keyPrefix = Journal.newKeyPrefix();
        long before = tables.number(TOKENS);
        new SegmentLoad(journal.connections(), tokens)
            .writeAsMany(Sending.ACKNOWLEDGED, keyPrefix, STREAMS, TOKENS_PER_STREAM);
        if (generation == 0) {
          results.add(question, OPEN, tables.number(SIZE) / (double) tables.number(TOKENS));
        }
        end(journal, keyPrefix);
        awaitCompacted(tables);
        tables.execute("VACUUM extents");
        tables.execute("VACUUM streams");
        added = tables.number(SIZE) - size;
        size += added;
        stored = tables.number(TOKENS) - before;
        System.out.printf(
            "generation %d adds %,d bytes for %,d tokens: %,d in all, %,d of it emptied extents%n",
            generation, added, stored, size, tables.number(EMPTIED));
      }
      return added / (double) stored;
    }
  }

  private static void end(Journal journal, String keyPrefix) {
    SegmentServiceBlockingStub segments =
        SegmentServiceGrpc.newBlockingStub(journal.connections().of(0));
    for (int stream = 0; stream < STREAMS; stream++) {
      var unused =
          segments.sealStream(
              SealStreamRequest.newBuilder()
                  .setStreamKey(keyPrefix + stream)
                  .setEnd(StreamEnd.newBuilder().setFinishReason("stop"))
                  .build());
    }
  }

  private static void awaitCompacted(JdbcAccess tables)
      throws SQLException, InterruptedException, IOException {
    long start = System.nanoTime();
    while (tables.number(LEFT) > 0) {
      if (System.nanoTime() - start > LONGEST.toNanos()) {
        throw new IOException(tables.number(LEFT) + " rows are not compacted after " + LONGEST);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
