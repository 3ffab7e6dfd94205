package io.agentjournal.it.model;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Every guard that the model must miss when it is taken out. */
final class Guards {
  /**
   * Those that were missed within some fifty sequences. Others take hundreds, until what they guard
   * against is made up, or until calls meet in the very moment: they are for the thorough run.
   */
  static final Set<String> MISSED_SOON =
      Set.of(
          "only the head of the queue is claimed",
          "nobody claims before its time or its answers",
          "another admission under the same id",
          "an applied input is not given back",
          "the fence of RequeueSubmission",
          "the fence of SuspendSubmission",
          "an aborted submission does not wait",
          "the first answer wins",
          "a wait keeps its question",
          "the fence of SettleSubmission",
          "the first settlement wins",
          "nothing is completed over an uncommitted turn",
          "a settled submission leaves the queue",
          "a claim is repeated by its own owner",
          "a turn id is used once",
          "the expected revision",
          "a new turn supersedes the open stream",
          "a stream's key is used once",
          "the segments that the slot's caller expects");

  private Guards() {}

  static List<Guard> all() {
    return Stream.of(SubmissionGuards.all(), TurnGuards.all(), StreamGuards.all(), LockGuards.all())
        .flatMap(List::stream)
        .toList();
  }
}
