package io.agentjournal.it.promise;

import io.agentjournal.client.JournalClient;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.SubmissionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The work there is: never too little of it, in a few sessions. Used by one thread. */
final class Errands {
  static final int SESSIONS = 4;
  private static final int OPEN = 8;
  private static final int MAX_ATTEMPTS = 1_000;

  private final JournalClient journal;
  private final SubmissionServiceBlockingStub submissions;
  private final Consumer<String> admitted;
  private final List<String> all = new ArrayList<>();
  private final List<String> open = new ArrayList<>();

  /**
   * @param admitted is told the id of each
   */
  Errands(JournalClient journal, Consumer<String> admitted) {
    this.journal = journal;
    this.submissions = SubmissionServiceGrpc.newBlockingStub(journal.channel());
    this.admitted = admitted;
  }

  List<String> all() {
    return List.copyOf(all);
  }

  /** Blocks while the journal is away. */
  void topUp() {
    forgetSettled();
    while (open.size() < OPEN) {
      String id = "submission-" + all.size();
      AdmitSubmissionRequest request =
          AdmitSubmissionRequest.newBuilder()
              .setSubmissionId(id)
              .setSessionKey(session(all.size()))
              .setMaxAttempts(MAX_ATTEMPTS)
              .setInput(Payload.newBuilder().setText("do your thing"))
              .build();
      var unused = journal.repeat(() -> submissions.admitSubmission(request));
      all.add(id);
      open.add(id);
      admitted.accept(id);
    }
  }

  boolean areAllSettled() {
    forgetSettled();
    return open.isEmpty();
  }

  static String session(int number) {
    return "session-" + number % SESSIONS;
  }

  private void forgetSettled() {
    open.removeIf(id -> submission(id).getStatus() == SubmissionStatus.SUBMISSION_STATUS_SETTLED);
  }

  private Submission submission(String id) {
    GetSubmissionRequest request = GetSubmissionRequest.newBuilder().setSubmissionId(id).build();
    return journal.repeat(() -> submissions.getSubmission(request)).getSubmission();
  }
}
