package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.Journal.Written;
import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** 200 streams that are written as fast as flow control lets them. */
final class StreamedRow implements Row {
  private static final int STREAMS = 200;
  private static final int MANY_CONNECTIONS = 32;

  private final int segmentsPerMessage;
  private final Question question;

  StreamedRow(int segmentsPerMessage) {
    this.segmentsPerMessage = segmentsPerMessage;
    this.question =
        new Question(
            name(),
            "%d streams, %d segment%s a message, not waiting"
                .formatted(STREAMS, segmentsPerMessage, segmentsPerMessage == 1 ? "" : "s"),
            "segments/s",
            goals(segmentsPerMessage));
  }

  private static List<Goal> goals(int segmentsPerMessage) {
    if (segmentsPerMessage == 1) {
      return List.of(
          Goal.atLeast(250_000),
          Goal.atLeast(25, RowPerToken.name(MANY_CONNECTIONS)),
          Goal.atLeast(1, RedisStreams.name(16)),
          Goal.atLeast(3, RedisStreams.name(1)));
    }
    return List.of(
        Goal.atLeast(1_200_000),
        Goal.atLeast(segmentsPerMessage == 16 ? 4 : 2.5, RedisStreams.name(segmentsPerMessage)),
        Goal.atLeastOfSmallest(0.6, CountingProcess.NAME, DatabaseLimit.NAME));
  }

  @Override
  public String name() {
    return "streamed-" + segmentsPerMessage;
  }

  @Override
  public List<Question> questions() {
    return List.of(question);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Journal journal = stage.journal();
    DatabaseLimit database = new DatabaseLimit(journal.tables());
    AtomicInteger segmentsPerExtent = new AtomicInteger(1);
    Contest contest = new Contest(results);
    contest.add(
        question,
        Finding.OURS,
        () -> {
          Written written =
              journal.write(Sending.STREAMED, STREAMS, segmentsPerMessage, results.turn());
          segmentsPerExtent.set(written.segmentsPerExtent());
          return written.perSecond();
        });
    contest.add(
        question,
        CountingProcess.NAME,
        () ->
            stage
                .counting()
                .perSecond(Sending.STREAMED, STREAMS, segmentsPerMessage, results.turn()));
    contest.add(
        question,
        DatabaseLimit.NAME,
        () -> database.perSecond(STREAMS, segmentsPerExtent.get(), results.turn()));
    for (int pipeline : pipelines()) {
      contest.addIfInstalled(
          question,
          RedisStreams.name(pipeline),
          stage::redis,
          redis -> redis.perSecond(pipeline, results.turn()));
    }
    if (segmentsPerMessage == 1) {
      addOnesThatTakeOne(stage, results, journal, contest);
    } else {
      results.notMeasured(question, NatsJetStream.NAME, "a publish is one message: see 1 segment");
      results.notMeasured(
          question, NatsJetStream.NAME_SYNCED, "a publish is one message: see 1 segment");
      contest.addIfInstalled(
          question,
          DurableStreams.NAME,
          stage::durableStreams,
          others -> others.perSecond(STREAMS, segmentsPerMessage, results.turn()));
    }
    contest.hold();
  }

  private List<Integer> pipelines() {
    List<Integer> pipelines = new ArrayList<>();
    pipelines.add(segmentsPerMessage == 1 ? 16 : segmentsPerMessage);
    if (segmentsPerMessage == 1) {
      pipelines.add(1);
    }
    return pipelines;
  }

  private void addOnesThatTakeOne(Stage stage, Results results, Journal journal, Contest contest)
      throws Exception {
    contest.addIfInstalled(
        question,
        NatsJetStream.NAME,
        stage::nats,
        nats -> nats.perSecond(false, STREAMS, results.turn()));
    contest.addIfInstalled(
        question,
        NatsJetStream.NAME_SYNCED,
        stage::syncedNats,
        nats -> nats.perSecond(false, STREAMS, results.turn()));
    results.notMeasured(
        question, DurableStreams.NAME, "each append is a request that is waited for: see below");
    RowPerToken rows = new RowPerToken(journal.tables());
    for (int connections : new int[] {1, MANY_CONNECTIONS}) {
      contest.add(
          question,
          RowPerToken.name(connections),
          () -> rows.perSecond(connections, results.turn()));
    }
  }
}
