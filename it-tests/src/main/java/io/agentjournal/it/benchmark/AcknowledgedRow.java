package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import java.util.List;

/** Streams whose writers wait for each segment's acknowledgement before they send the next. */
final class AcknowledgedRow implements Row {
  private static final String TRANSPORT_UNARY = CountingProcess.NAME + ", unary";

  private final int streams;
  private final Question session;
  private final Question unary;

  AcknowledgedRow(int streams) {
    this.streams = streams;
    this.session =
        new Question(
            name(),
            streams + " streams, each segment acknowledged before the next",
            "segments/s",
            List.of(Goal.atLeast(1, RedisStreams.name(1))));
    this.unary =
        new Question(
            name(),
            streams + " streams, each segment a PutSegments",
            "segments/s",
            List.of(Goal.atLeast(0.6, RedisStreams.name(1))));
  }

  @Override
  public String name() {
    return "acknowledged-" + streams;
  }

  @Override
  public List<Question> questions() {
    return List.of(session, unary);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Journal journal = stage.journal();
    Contest contest = new Contest(results);
    contest.add(
        session,
        Finding.OURS,
        () -> journal.write(Sending.ACKNOWLEDGED, streams, 1, results.turn()).perSecond());
    contest.add(
        unary,
        Finding.OURS,
        () -> journal.write(Sending.UNARY, streams, 1, results.turn()).perSecond());
    contest.add(
        session,
        CountingProcess.NAME,
        () -> stage.counting().perSecond(Sending.ACKNOWLEDGED, streams, 1, results.turn()));
    contest.add(
        unary,
        TRANSPORT_UNARY,
        () -> stage.counting().perSecond(Sending.UNARY, streams, 1, results.turn()));
    contest.addIfInstalled(
        questions(),
        RedisStreams.name(1),
        stage::redis,
        redis -> redis.perSecond(1, results.turn()));
    contest.addIfInstalled(
        questions(),
        NatsJetStream.NAME,
        stage::nats,
        nats -> nats.perSecond(true, streams, results.turn()));
    contest.addIfInstalled(
        questions(),
        NatsJetStream.NAME_SYNCED,
        stage::syncedNats,
        nats -> nats.perSecond(true, streams, results.turn()));
    contest.addIfInstalled(
        questions(),
        DurableStreams.NAME,
        stage::durableStreams,
        others -> others.perSecond(streams, 1, results.turn()));
    contest.hold();
  }
}
