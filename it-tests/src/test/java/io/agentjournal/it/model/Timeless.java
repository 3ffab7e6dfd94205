package io.agentjournal.it.model;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.ListRecoverableResponse;
import io.agentjournal.v1.Receipt;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RequestAbortResponse;
import io.agentjournal.v1.RequestRecoveryResponse;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Answers without what no model can know: of times only whether they are there; no prose. */
final class Timeless {
  private Timeless() {}

  static Message of(Message message) {
    Message.Builder timeless = withoutOwn(message).toBuilder();
    for (Map.Entry<FieldDescriptor, Object> field : timeless.build().getAllFields().entrySet()) {
      FieldDescriptor descriptor = field.getKey();
      if (descriptor.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        timeless.setField(
            descriptor,
            descriptor.isRepeated() ? each((List<?>) field.getValue()) : one(field.getValue()));
      }
    }
    return timeless.build();
  }

  private static List<Object> each(List<?> values) {
    List<Object> timeless = new ArrayList<>();
    values.forEach(value -> timeless.add(one(value)));
    return timeless;
  }

  private static Object one(Object value) {
    return value instanceof Timestamp ? Told.TIME : of((Message) value);
  }

  /** Without what this message itself has of them. */
  private static Message withoutOwn(Message message) {
    if (message instanceof Lease lease) {
      return lease.toBuilder().setRemaining(Duration.getDefaultInstance()).build();
    }
    if (message instanceof RecoveryPlan plan) {
      return plan.toBuilder().clearBecause().build();
    }
    if (message instanceof Receipt receipt) {
      return receipt.toBuilder().clearAdmissionSha256().build();
    }
    if (message instanceof Renewal renewal) {
      return renewal.toBuilder().clearFacts().build();
    }
    if (message instanceof Submission submission) {
      return withoutPastDelay(submission);
    }
    if (message instanceof ListRecoverableResponse listed) {
      return ListRecoverableResponse.newBuilder()
          .addAllRecoverable(
              listed.getRecoverableList().stream()
                  .sorted(Comparator.comparing(one -> one.getSubmission().getSubmissionId()))
                  .toList())
          .build();
    }
    if (message instanceof RequestAbortResponse aborted) {
      return RequestAbortResponse.newBuilder()
          .addAllSubmissionIds(aborted.getSubmissionIdsList().stream().sorted().toList())
          .build();
    }
    if (message instanceof RequestRecoveryResponse requested) {
      return RequestRecoveryResponse.newBuilder()
          .addAllSubmissionIds(requested.getSubmissionIdsList().stream().sorted().toList())
          .build();
    }
    return message;
  }

  /** Before what time nobody may have it says nothing of one that somebody has, or had. */
  private static Submission withoutPastDelay(Submission submission) {
    boolean isToCome =
        submission.getStatus() == SubmissionStatus.SUBMISSION_STATUS_QUEUED
            || submission.getStatus() == SubmissionStatus.SUBMISSION_STATUS_WAITING;
    return isToCome ? submission : submission.toBuilder().clearNotBefore().build();
  }
}
