package io.agentjournal.segment;

import io.agentjournal.rpc.BlockingPool;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to ask the table: the question is asked on the blocking pool, and its answer taken
 * by the call itself, in a later step. Used by one step at a time.
 */
public final class TableLook {
  private final BlockingPool pool;
  private final Runnable answered;
  private final AtomicReference<@Nullable Runnable> answer = new AtomicReference<>();
  private boolean isUnderWay;

  /**
   * @param answered called on a thread of the pool when there is something to {@link #take}
   */
  public TableLook(BlockingPool pool, Runnable answered) {
    this.pool = pool;
    this.answered = answered;
  }

  public boolean isUnderWay() {
    return isUnderWay;
  }

  /** Asks; to be called when nothing is under way. */
  public <T> void ask(Supplier<T> question, Consumer<T> taker) {
    pool.execute(
        () -> {
          answer.set(answer(question, taker));
          answered.run();
        });
    isUnderWay = true;
  }

  private static <T> Runnable answer(Supplier<T> question, Consumer<T> taker) {
    try {
      T found = question.get();
      return () -> taker.accept(found);
    } catch (RuntimeException | Error e) {
      return () -> {
        throw e;
      };
    }
  }

  /** Hands the answer, if it is there, to its taker; throws what the question threw. */
  public void take() {
    Runnable taken = answer.getAndSet(null);
    if (taken != null) {
      isUnderWay = false;
      taken.run();
    }
  }
}
