package io.agentjournal.it.model;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.Settlement;
import java.util.ArrayList;
import java.util.List;

/** Calls that are almost repeats: the same as before, but for one field. */
final class Variations {
  private Variations() {}

  static Call of(Call call, Draft draft) {
    Message.Builder request = call.request().toBuilder();
    List<Runnable> changes = new ArrayList<>();
    for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
      switch (field.getName()) {
        case "attempt" -> changes.add(() -> anotherAttempt(request, field, draft));
        case "reason", "operation_id" -> changes.add(() -> request.setField(field, "another"));
        case "require_expired_lease" ->
            changes.add(() -> request.setField(field, !((boolean) request.getField(field))));
        case "expected_next_index", "expected_revision" ->
            changes.add(() -> request.setField(field, (long) request.getField(field) + 1));
        case "expected_leaf_id", "checkpoint_leaf_id", "committed_leaf_id" ->
            changes.add(() -> request.setField(field, "unknown"));
        case "lease" -> changes.add(() -> anotherOwner(request, field));
        case "entries" -> changes.add(() -> anotherEntry(request, field));
        case "settlement", "settle" -> changes.add(() -> anotherEnd(request, field));
        case "final" -> changes.add(() -> last(request, field));
        case "start" -> changes.add(() -> anotherStart(request, field));
        default -> {}
      }
    }
    if (!changes.isEmpty()) {
      draft.oneOf(changes).run();
    }
    return new Call(call.method(), request.build());
  }

  private static void anotherAttempt(Message.Builder request, FieldDescriptor field, Draft draft) {
    if (request.hasField(field)) {
      AttemptRef attempt = (AttemptRef) request.getField(field);
      request.setField(field, draft.attempt(attempt.getSubmissionId()));
    }
  }

  private static void anotherOwner(Message.Builder request, FieldDescriptor field) {
    LeaseRequest lease = (LeaseRequest) request.getField(field);
    String owner = lease.getOwner().equals("o1") ? "o2" : "o1";
    request.setField(field, lease.toBuilder().setOwner(owner).build());
  }

  private static void anotherEntry(Message.Builder request, FieldDescriptor field) {
    if (request.getRepeatedFieldCount(field) > 0) {
      NewEntry entry = (NewEntry) request.getRepeatedField(field, 0);
      String text = entry.getPayload().getText() + " and more";
      NewEntry.Builder changed = entry.toBuilder();
      changed.getPayloadBuilder().setText(text);
      request.setRepeatedField(field, 0, changed.build());
    }
  }

  private static void anotherEnd(Message.Builder request, FieldDescriptor field) {
    if (request.hasField(field)) {
      Settlement settlement = (Settlement) request.getField(field);
      Settlement.Builder changed = settlement.toBuilder();
      if (settlement.getOutcome() == Outcome.OUTCOME_COMPLETED) {
        changed.getResultBuilder().setText("another result");
      } else {
        changed.getFailureBuilder().setMessage("another message");
      }
      request.setField(field, changed.build());
    }
  }

  /** Of a commit that does not settle. */
  private static void last(Message.Builder request, FieldDescriptor field) {
    boolean isLast = (boolean) request.getField(field);
    boolean settles = request.hasField(request.getDescriptorForType().findFieldByName("settle"));
    if (isLast) {
      request.clearField(field);
    } else if (!settles) {
      request.setField(field, true);
    }
  }

  private static void anotherStart(Message.Builder request, FieldDescriptor field) {
    if (request.hasField(field)) {
      request.clearField(field);
    } else {
      request.setField(field, ProviderStart.newBuilder().setContentType("text/plain").build());
    }
  }
}
