package io.agentjournal.event;

import static io.agentjournal.testing.Trial.call;
import static io.agentjournal.testing.Trial.completed;
import static io.agentjournal.testing.Trial.entry;
import static io.agentjournal.testing.Trial.result;
import static io.agentjournal.testing.Trial.start;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionRequest;
import java.util.List;

/** A submission to which all sorts of things happen, and what a watch tells of it. */
final class Story {
  static final List<String> TOLD =
      List.of(
          "QUEUED",
          "RUNNING",
          "turn t1 1",
          "opened t1",
          "0'a",
          "1'b",
          "2'c",
          "taken over by b of owner-a",
          "3'd",
          "WAITING for w",
          "WAITING",
          "RUNNING",
          "4'e",
          "ended t1 SUPERSEDED",
          "turn t2 2",
          "opened t2",
          "0'x",
          "1'y",
          "ended t2 COMPLETE",
          "calls t2 k1=RECORDED k2=RECORDED",
          "calls t2 k1=STARTED",
          "calls t2 k1=RESULT",
          "calls t2 k2=STARTED",
          "calls t2 k2=RESULT",
          "committed t2",
          "turn t3 3",
          "opened t3",
          "0'z",
          "abort enough",
          "1'!",
          "ended t3 COMPLETE",
          "committed t3",
          "SETTLED COMPLETED",
          "end SETTLED");

  private Story() {}

  /** The whole of it, of a submission that is queued. */
  static void tell(Trial trial) {
    trial.claim("a");
    trial.begun("a", "t1");
    trial.start("a", "t1", ProviderStart.getDefaultInstance());
    String first = trial.streamKey("t1", "a");
    trial.put("a", first, 0, "ab");
    trial.put("a", first, 2, "c");
    trial.replace("a", "b");
    trial.put("b", first, 3, "d");
    trial.submissions.suspendSubmission(
        SuspendSubmissionRequest.newBuilder()
            .setAttempt(trial.ref("b"))
            .addWaits(NewWait.newBuilder().setWaitId("w"))
            .build());
    trial.submissions.resumeSubmission(
        ResumeSubmissionRequest.newBuilder().setSubmissionId(trial.id).setWaitId("w").build());
    trial.claim("c");
    trial.put("c", first, 4, "e");
    trial.turns.beginTurnJournal(
        trial.begin("c", "t2").setStart(ProviderStart.newBuilder()).build());
    trial.put("c", trial.streamKey("t2", "c"), 0, "xy");
    trial.request("c", "t2", call("k1"), call("k2"));
    for (String id : List.of("k1", "k2")) {
      trial.update("c", "t2", start(id));
      trial.update(
          "c", "t2", result(id, entry("r-" + id, "done").toBuilder().setToolCallId(id).build()));
    }
    trial.commit("c", "t2");
    trial.turns.beginTurnJournal(
        trial.begin("c", "t3").setStart(ProviderStart.newBuilder()).build());
    trial.put("c", trial.streamKey("t3", "c"), 0, "z");
    trial.submissions.requestAbort(
        RequestAbortRequest.newBuilder().setSubmissionId(trial.id).setReason("enough").build());
    trial.put("c", trial.streamKey("t3", "c"), 1, "!");
    trial.turns.commitTurnJournal(trial.committing("c", "t3").setSettle(completed("done")).build());
  }

  static Trial told(JournalExtension journal) {
    Trial trial = Trial.queued(journal);
    tell(trial);
    return trial;
  }
}
