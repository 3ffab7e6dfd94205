package io.agentjournal.it.model;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plays sequences against two servers on one database, each in a namespace of its own, and keeps
 * every world that explains what was answered so far. Thread-safe.
 */
final class Player {
  private static final Metadata.Key<String> NAMESPACE =
      Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER);

  private static final int MOST_REPEATS = 10;

  private final Contract contract = new Contract();
  private final AtomicLong calls = new AtomicLong();
  private final Channel one;
  private final Channel other;
  private final Clock clock;

  Player(Channel one, Channel other, Clock clock) {
    this.one = one;
    this.other = other;
    this.clock = clock;
  }

  /** That were made and judged so far. */
  long callCount() {
    return calls.get();
  }

  /** Null: every answer and all that is read afterwards agree with the model. */
  @Nullable Disagreement play(Sequence sequence) {
    return new Game(sequence).play();
  }

  private final class Game {
    private final Sequence sequence;
    private final String namespace = "model-" + UUID.randomUUID();
    private final Channel first;
    private final Channel second;
    private Set<World> worlds = Set.of(new World());
    private int callNumber;

    Game(Sequence sequence) {
      this.sequence = sequence;
      Metadata headers = new Metadata();
      headers.put(NAMESPACE, namespace);
      this.first =
          ClientInterceptors.intercept(one, MetadataUtils.newAttachHeadersInterceptor(headers));
      this.second =
          ClientInterceptors.intercept(other, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    @Nullable Disagreement play() {
      for (int i = 0; i < sequence.groups().size(); i++) {
        Sequence played = new Sequence(sequence.seed(), sequence.groups().subList(0, i + 1));
        Disagreement found = play(played, sequence.groups().get(i));
        if (found == null) {
          found = tellApart(played);
        }
        if (found != null) {
          return found;
        }
      }
      return readAll();
    }

    /** Calls that met may have come in several orders: who watches is told in which they came. */
    private @Nullable Disagreement tellApart(Sequence played) {
      for (String id : List.copyOf(worlds.iterator().next().submissions.keySet())) {
        long stories =
            worlds.stream()
                .map(world -> world.submissions.get(id))
                .map(submission -> submission == null ? Story.BEGIN : submission.story)
                .distinct()
                .count();
        Disagreement found = stories == 1 ? null : play(played, List.of(Readings.watch(id)));
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    /** Reads change nothing: each may be judged alone, though all are under way together. */
    private @Nullable Disagreement readAll() {
      List<Step> reads = Readings.of(worlds.iterator().next(), sequence.seed());
      List<Supplier<Answer>> answers = reads.stream().map(this::start).toList();
      for (int i = 0; i < reads.size(); i++) {
        Disagreement found =
            judge(sequence, reads.subList(i, i + 1), List.of(answers.get(i).get()));
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    private @Nullable Disagreement play(Sequence played, List<Step> steps) {
      List<Supplier<Answer>> answers = new ArrayList<>();
      steps.forEach(step -> answers.add(start(step)));
      return judge(played, steps, answers.stream().map(Supplier::get).toList());
    }

    private @Nullable Disagreement judge(Sequence played, List<Step> steps, List<Answer> observed) {
      Set<World> after = new LinkedHashSet<>();
      for (World world : worlds) {
        explain(world, steps, observed, steps.size() == 1, after);
      }
      if (after.isEmpty()) {
        return new Disagreement(played, steps, observed, expected(steps));
      }
      worlds = after;
      return null;
    }

    private Supplier<Answer> start(Step step) {
      if (step instanceof Call call) {
        calls.incrementAndGet();
        callNumber++;
        Channel server = callNumber % 2 == 0 ? first : second;
        Supplier<Answer> answer = Observer.start(server, call);
        return () -> patient(answer.get(), server, call);
      }
      clock.pass(namespace, (TimePasses) step);
      return Answer::of;
    }

    /**
     * A database that was too busy has changed nothing: then as the contract says, the same again.
     */
    private static Answer patient(Answer answer, Channel server, Call call) {
      Answer last = answer;
      for (int i = 0; i < MOST_REPEATS && last.isBusy(); i++) {
        last = Observer.start(server, call).get();
      }
      return last;
    }

    /** Adds each world in which the steps, in some order, come to what was observed. */
    private void explain(
        World before, List<Step> steps, List<Answer> observed, boolean isAlone, Set<World> after) {
      if (steps.isEmpty()) {
        after.add(before);
        return;
      }
      for (int i = 0; i < steps.size(); i++) {
        for (Possible possible : contract.possible(before, steps.get(i), isAlone)) {
          if (possible.answer().explains(observed.get(i))) {
            List<Step> left = without(steps, i);
            List<Answer> unexplained = without(observed, i);
            left.addAll(possible.then());
            possible.then().forEach(step -> unexplained.add(Answer.of()));
            explain(possible.after(), left, unexplained, isAlone, after);
          }
        }
      }
    }

    private List<String> expected(List<Step> steps) {
      List<String> expected = new ArrayList<>();
      World world = worlds.iterator().next();
      for (Step step : steps) {
        List<Possible> possible = contract.possible(world, step, steps.size() == 1);
        expected.add(
            String.join("\n      or ", possible.stream().map(p -> p.answer().toString()).toList()));
        world = possible.get(0).after();
      }
      return expected;
    }
  }

  private static <T> List<T> without(List<T> list, int index) {
    List<T> left = new ArrayList<>(list);
    left.remove(index);
    return left;
  }
}
