package io.agentjournal.it.model;

import java.util.List;

/** The guards of submissions and attempts. */
final class SubmissionGuards {
  private SubmissionGuards() {}

  static List<Guard> all() {
    return List.of(
        Guard.of(
            "another admission under the same id",
            "submission/AdmissionStore",
            "if (!earlier.admissionSha256().equals(submission.sha256())) {",
            "if (earlier.admissionSha256().isEmpty()) {"),
        Guard.of(
            "only the head of the queue is claimed",
            "submission/ClaimStore",
            "if (!submission.id().id().equals(head)) {",
            "if (head == null) {"),
        Guard.of(
            "nobody claims before its time or its answers",
            "submission/ClaimStore",
            "if (!submission.isRunnable()) {",
            "if (submission.settled() != null) {"),
        Guard.of(
                "the budget of a claim", "submission/ClaimStore", "    requireBudget(found);\n", "")
            .and(
                "submission/ClaimStore",
                "status = 'QUEUED' AND attempt_count < max_attempts AND COALESCE(deadline_at >"
                    + " now(), true)",
                "status = 'QUEUED'")
            .and(
                "submission/ClaimStore",
                "status = 'WAITING' AND deadline_at > waiting_since",
                "status = 'WAITING'"),
        Guard.of(
                "the budget of a take-over",
                "submission/Takeover",
                "    requireBudget(locked, cost);\n",
                "")
            .and(
                "submission/TakeoverRows",
                "AND attempt_count + ? <= max_attempts AND deadline_at > now()",
                "AND attempt_count + ? IS NOT NULL"),
        Guard.of(
                "an attempt id is used once",
                "submission/AttemptRows",
                "if (!mayBeginAgain) {",
                "if (owner.isEmpty()) {")
            .and(
                "submission/AttemptRows",
                "WHERE attempts.end_kind = 'GIVEN_BACK' AND attempts.owner = EXCLUDED.owner",
                "WHERE attempts.namespace = EXCLUDED.namespace"),
        Guard.of(
            "a living lease keeps others away",
            "submission/Takeover",
            "if (right == Right.IF_RECOVERABLE && !locked.isRecoverable()) {",
            "if (right == null) {"),
        Guard.of(
            "a recovery request waits for its time",
            "submission/Submission",
            "(recovery == null ? lease.isExpired() : recovery.isDue())",
            "(recovery != null || lease.isExpired())"),
        Guard.of(
            "a recovery that its owner asked for costs no attempt",
            "submission/Submission",
            "return recovery != null && recovery.isDue() && !recovery.isCounted() ? 0 : 1;",
            "return 1;"),
        Guard.of(
            "of two recovery requests the one that is due first counts",
            "submission/RecoveryRequestStore",
            """
                     AND (recovery_not_before IS NULL
                          OR recovery_not_before > clock_timestamp() + ? * interval '1 millisecond')
            """,
            "         AND ?::bigint IS NOT NULL\n"),
        Guard.of(
            "the fence of RequestRecovery",
            "submission/RecoveryRequestStore",
            "rows.lockForUpdate(connection, attempt.submission()).requireHeldBy(attempt);",
            "rows.lockForUpdate(connection, attempt.submission());"),
        Guard.of(
            "only the named attempt is replaced",
            "submission/Takeover",
            "    standing.requireHeldBy(current);\n",
            "    standing.requireUnsettled();\n"),
        Guard.of(
            "a repeated replace has the same reason",
            "submission/AttemptMarker",
            "attempt.equals(nextAttemptId) && text(reason).equals(text(forReason))",
            "attempt.equals(nextAttemptId)"),
        Guard.of(
            "the fence of MarkInputApplied",
            "submission/InputStore",
            """
                if (!attempt.id().equals(submission.inputAppliedBy())) {
                  submission.requireHeldBy(attempt);
                }
            """,
            ""),
        Guard.of(
            "the input is applied once",
            "submission/InputStore",
            "throw new IllegalPhase(\"input_applied\", \"input_not_applied\");",
            "return new Applied(false, session.leafId());"),
        Guard.of(
            "the fence of RequeueSubmission",
            "submission/RequeueStore",
            "    submission.requireHeldBy(attempt);\n",
            ""),
        Guard.of(
            "an applied input is not given back",
            "submission/RequeueStore",
            "if (submission.isInputApplied()) {",
            "if (submission.outcome() != null) {"),
        Guard.of(
            "an aborted submission is not given back",
            "submission/RequeueStore",
            "if (submission.isAbortRequested()) {",
            "if (submission.outcome() != null) {"),
        Guard.of(
            "the fence of SuspendSubmission",
            "submission/WaitStore",
            "    submission.requireHeldBy(attempt);\n",
            ""),
        Guard.of(
            "an aborted submission does not wait",
            "submission/WaitStore",
            "if (submission.isAbortRequested()) {",
            "if (submission.outcome() != null) {"),
        Guard.of(
            "a wait keeps its question",
            "submission/WaitStore",
            "    requireSameQuestions(connection, id, suspension.waits());\n",
            ""),
        Guard.of(
            "the first answer wins",
            "submission/WaitStore",
            "if (wait.isAnsweredWith(answer)) {",
            "if (wait.waitId().equals(answer.waitId())) {"),
        Guard.of(
            "the fence of SettleSubmission",
            "submission/SettlementStore",
            "    submission.requireHeldBy(attempt);\n",
            "    submission.requireUnsettled();\n"),
        Guard.of(
            "the first settlement wins",
            "submission/Standing",
            "        && settlement.sha256().equals(settlementSha256)",
            ""),
        Guard.of(
            "a settlement is the attempt's own",
            "submission/Standing",
            "return attempt.id().equals(settledByAttemptId)",
            "return settledByAttemptId != null"),
        Guard.of(
            "nothing is completed over an uncommitted turn",
            "submission/SettlementStore",
            "slot.phase() != Phase.COMMITTED && outcome == Outcome.COMPLETED",
            "slot.phase() == Phase.BEFORE_PROVIDER && outcome == Outcome.ABORTED"),
        Guard.of(
            "a settlement ends the open stream",
            "submission/SettlementStore",
            "    if (stream != null) {\n      streams.endIfOpen(",
            "    if (stream != null && attemptId == null) {\n      streams.endIfOpen("),
        Guard.of(
            "a settled submission leaves the queue",
            "submission/QueueRows",
            "WHERE namespace = ? AND session_key = ? AND submission_id = ?",
            "WHERE namespace = ? AND session_key = ? AND submission_id = ? AND sequence < 0"),
        Guard.of(
            "the first abort request wins",
            "submission/AbortStore",
            "AND status <> 'SETTLED' AND abort_requested_at IS NULL",
            "AND status <> 'SETTLED'"),
        Guard.of(
            "a claim is repeated by its own owner",
            "submission/ClaimStore",
            "        && held.attemptId().equals(attempt.id())\n"
                + "        && held.owner().equals(lease.owner())) {",
            "        && held.attemptId().equals(attempt.id())) {"),
        Guard.of(
            "a lease that ran out is renewed by who holds it",
            "submission/LeaseStore",
            "AND status = 'RUNNING' AND attempt_id = ?\n         AND deadline_at > now()",
            "AND status = 'RUNNING' AND ?::text IS NOT NULL\n         AND deadline_at > now()"),
        Guard.of(
                "no lease is renewed past the timeout",
                "submission/LeaseStore",
                "AND status = 'RUNNING' AND attempt_id = ?\n         AND deadline_at > now()",
                "AND status = 'RUNNING' AND attempt_id = ?")
            .and(
                "submission/LeaseStore",
                "deadline_at > now()\n              AND (abort_requested_at IS NULL",
                "(abort_requested_at IS NULL"),
        Guard.of(
                "no lease is renewed long after an abort request",
                "submission/LeaseStore",
                "AND deadline_at > now()\n         AND (abort_requested_at IS NULL OR",
                "AND deadline_at > now()\n         AND (deadline_at IS NOT NULL OR")
            .and(
                "submission/LeaseStore",
                "deadline_at > now()\n              AND (abort_requested_at IS NULL OR",
                "deadline_at > now()\n              AND (deadline_at IS NOT NULL OR"),
        Guard.of(
            "a take-over is told to who watches",
            "submission/Takeover",
            "new Event.TakenOver(next.attempt().id(), owner)",
            "new Event.TakenOver(locked.id().id(), owner)"));
  }
}
