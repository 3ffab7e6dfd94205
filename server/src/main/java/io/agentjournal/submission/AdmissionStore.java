package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.ReceiptNotFound;
import io.agentjournal.refusal.Refusal.SessionDeleting;
import io.agentjournal.refusal.Refusal.SubmissionConflict;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Admits submissions, inside a caller's transaction:
 *
 * <ol>
 *   <li>a receipt of the same admission: a repeat, also when nothing else is left of it;
 *   <li>the session is locked or created: its lock makes the order of admission the order of
 *       commit;
 *   <li>the receipt makes the id taken; whoever comes second waits here and finds a repeat or a
 *       conflict;
 *   <li>the submission gets the next place in the session's queue, and may run at once if it is the
 *       first.
 * </ol>
 */
final class AdmissionStore {
  private static final String INSERT =
      """
      INSERT INTO submissions (namespace, submission_id, session_key, sequence, kind, queue, status, input_case, input,
                               admission_sha256, max_attempts, timeout_ms, not_before, runnable_at, traceparent)
      VALUES (?, ?, ?, ?, ?, ?, 'QUEUED', ?, ?, ?, ?, ?,
              now() + NULLIF(?, 0) * interval '1 millisecond',
              CASE WHEN ? THEN now() + ? * interval '1 millisecond' END, ?)
      """;

  private final SessionRows sessions;
  private final QueueRows queue;
  private final ReceiptRows receipts;
  private final SubmissionStore submissions;
  private final EventRows events = new EventRows();

  AdmissionStore(
      SessionRows sessions, QueueRows queue, ReceiptRows receipts, SubmissionStore submissions) {
    this.sessions = sessions;
    this.queue = queue;
    this.receipts = receipts;
    this.submissions = submissions;
  }

  /**
   * Admits it, or finds that it was.
   *
   * @throws SubmissionConflict the id was used for something else
   * @throws SessionDeleting its session is being deleted
   */
  Admitted admit(Connection connection, NewSubmission submission) throws SQLException {
    Receipt earlier = receipts.find(connection, submission.id());
    if (earlier != null) {
      return repeat(connection, submission, earlier);
    }
    LockedSession session = sessions.lockOrCreate(connection, submission.session());
    if (!receipts.insert(connection, submission)) {
      return repeat(connection, submission, winner(connection, submission.id()));
    }
    boolean isHead = queue.head(connection, submission.session()) == null;
    long sequence = sessions.takeSequence(connection, session);
    insert(connection, submission, sequence, isHead);
    queue.append(connection, submission.session(), sequence, submission.id());
    events.append(
        connection, submission.id(), Event.StatusChanged.to(SubmissionStatus.QUEUED.name()));
    return new Admitted(
        true, submissions.find(connection, submission.id()), receipt(connection, submission.id()));
  }

  /** Submission and receipt as they are at one moment: a settlement changes both. */
  private Admitted repeat(Connection connection, NewSubmission submission, Receipt earlier)
      throws SQLException {
    if (!earlier.admissionSha256().equals(submission.sha256())) {
      throw new SubmissionConflict(submission.id().id());
    }
    Submission held = submissions.hold(connection, submission.id());
    return new Admitted(false, held, winner(connection, submission.id()));
  }

  /**
   * What is kept of a submission.
   *
   * @throws ReceiptNotFound there is no such submission, and never was one whose receipt is kept
   */
  Receipt receipt(Connection connection, SubmissionId id) throws SQLException {
    Receipt receipt = receipts.find(connection, id);
    if (receipt == null) {
      throw new ReceiptNotFound(id.id());
    }
    return receipt;
  }

  /**
   * Of a submission that somebody else has admitted just now, or whose session was deleted just
   * now: then once more.
   */
  private Receipt winner(Connection connection, SubmissionId id) throws SQLException {
    Receipt receipt = receipts.find(connection, id);
    if (receipt == null) {
      throw new SQLException("the receipt has gone", "40001");
    }
    return receipt;
  }

  private static void insert(
      Connection connection, NewSubmission submission, long sequence, boolean isHead)
      throws SQLException {
    long delayMillis = submission.delay().toMillis();
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, submission.id().namespace().name());
      statement.setString(2, submission.id().id());
      statement.setString(3, submission.session().key());
      statement.setLong(4, sequence);
      statement.setString(5, submission.kind().name());
      statement.setString(6, submission.queue());
      statement.setInt(7, submission.input().kind().code());
      statement.setBytes(8, submission.input().bytes().toByteArray());
      statement.setBytes(9, submission.sha256().toByteArray());
      statement.setInt(10, submission.maxAttempts());
      statement.setLong(11, submission.timeout().toMillis());
      statement.setLong(12, delayMillis);
      statement.setBoolean(13, isHead);
      statement.setLong(14, delayMillis);
      statement.setString(15, submission.traceparent());
      statement.executeUpdate();
    }
  }
}
