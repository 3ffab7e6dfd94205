package io.agentjournal.it.model;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several that do the same thing at the same time. */
final class Crew {
  private Crew() {}

  /** What one of them does. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /** Returns when all are done; fails when one of them did. */
  static void of(int size, Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(size);
    try {
      List<Future<?>> working = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        working.add(
            threads.submit(
                () -> {
                  work.run();
                  return null;
                }));
      }
      for (Future<?> one : working) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
