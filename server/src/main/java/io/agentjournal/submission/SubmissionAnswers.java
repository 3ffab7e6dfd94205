package io.agentjournal.submission;

import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.plan.PlanMessages;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.Times;
import io.agentjournal.segment.StreamMessages;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.ListAttemptMarkersResponse;
import io.agentjournal.v1.ListSubmissionsResponse;
import io.agentjournal.v1.MarkInputAppliedResponse;
import io.agentjournal.v1.ReadInputResponse;
import io.agentjournal.v1.RequeueSubmissionResponse;
import io.agentjournal.v1.ResumeSubmissionResponse;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.SuspendSubmissionResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** What the calls of SubmissionService answer. */
final class SubmissionAnswers {
  /** Of which one marker is a small part. */
  private static final int MAX_PAGE_BYTES = 3 << 20;

  private SubmissionAnswers() {}

  static AdmitSubmissionResponse admitted(Admitted admitted) {
    AdmitSubmissionResponse.Builder response =
        AdmitSubmissionResponse.newBuilder()
            .setApplied(admitted.applied())
            .setReceipt(SubmissionMessages.from(admitted.receipt()));
    if (admitted.submission() != null) {
      response.setSubmission(SubmissionMessages.from(admitted.submission()));
    }
    return response.build();
  }

  static ClaimSubmissionResponse claimed(Claimed claimed) {
    ClaimSubmissionResponse.Builder response =
        ClaimSubmissionResponse.newBuilder()
            .setApplied(claimed.applied())
            .setPlan(PlanMessages.from(claimed.plan()));
    if (claimed.journal() != null) {
      response.setJournal(SlotMessages.from(claimed.journal()));
    }
    return response
        .setSubmission(SubmissionMessages.from(claimed.submission(), response.build()))
        .build();
  }

  static MarkInputAppliedResponse applied(InputStore.Applied applied) {
    MarkInputAppliedResponse.Builder response =
        MarkInputAppliedResponse.newBuilder().setApplied(applied.applied());
    if (applied.leafId() != null) {
      response.setLeafId(applied.leafId());
    }
    return response.build();
  }

  static RequeueSubmissionResponse requeued(Changed changed) {
    return RequeueSubmissionResponse.newBuilder()
        .setApplied(changed.applied())
        .setSubmission(SubmissionMessages.from(changed.submission()))
        .build();
  }

  static SuspendSubmissionResponse suspended(Changed changed) {
    return SuspendSubmissionResponse.newBuilder()
        .setApplied(changed.applied())
        .setSubmission(SubmissionMessages.from(changed.submission()))
        .build();
  }

  static ResumeSubmissionResponse resumed(Changed changed) {
    return ResumeSubmissionResponse.newBuilder()
        .setApplied(changed.applied())
        .setSubmission(SubmissionMessages.from(changed.submission()))
        .build();
  }

  static SettleSubmissionResponse settled(Changed changed) {
    return SettleSubmissionResponse.newBuilder()
        .setApplied(changed.applied())
        .setSubmission(SubmissionMessages.from(changed.submission()))
        .build();
  }

  static GetSubmissionResponse overview(Overview overview) {
    GetSubmissionResponse.Builder response = GetSubmissionResponse.newBuilder();
    if (overview.journal() != null) {
      response.setJournal(SlotMessages.from(overview.journal()));
    }
    if (overview.stream() != null) {
      response.setStream(StreamMessages.stream(overview.stream()));
    }
    return response
        .setSubmission(SubmissionMessages.from(overview.submission(), response.build()))
        .build();
  }

  /** At least one part, also of an empty input. */
  static Iterator<ReadInputResponse> inputParts(Payload input) {
    List<ReadInputResponse> messages = new ArrayList<>();
    long offset = 0;
    for (Payload part : input.parts()) {
      messages.add(
          ReadInputResponse.newBuilder()
              .setPart(PayloadMessages.from(part))
              .setPayloadOffset(offset)
              .setPayloadSizeBytes(input.size())
              .build());
      offset += part.size();
    }
    return messages.iterator();
  }

  static ListSubmissionsResponse page(
      PageRequest page, SubmissionSelection selection, SubmissionListStore.Page found) {
    ListSubmissionsResponse.Builder response = ListSubmissionsResponse.newBuilder();
    found.submissions().forEach(row -> response.addSubmissions(SubmissionMessages.from(row)));
    Submission last = found.last();
    if (last != null) {
      String key = selection.sessionKey() == null ? last.id().id() : Long.toString(last.sequence());
      response.setNextPageToken(page.tokenAfter(key));
    }
    return response.build();
  }

  static ListAttemptMarkersResponse markers(
      PageRequest page, int afterNumber, List<AttemptMarker> markers) {
    ListAttemptMarkersResponse.Builder response = ListAttemptMarkersResponse.newBuilder();
    int bytes = 0;
    for (AttemptMarker marker : markers) {
      io.agentjournal.v1.AttemptMarker message = message(marker);
      bytes += message.getSerializedSize();
      if (bytes > MAX_PAGE_BYTES) {
        break;
      }
      response.addMarkers(message);
    }
    int shown = response.getMarkersCount();
    if (shown == page.size() || shown < markers.size()) {
      response.setNextPageToken(page.tokenAfter(Integer.toString(afterNumber + shown)));
    }
    return response.build();
  }

  private static io.agentjournal.v1.AttemptMarker message(AttemptMarker marker) {
    io.agentjournal.v1.AttemptMarker.Builder message =
        io.agentjournal.v1.AttemptMarker.newBuilder()
            .setAttemptId(marker.attemptId())
            .setOwner(marker.owner())
            .setStartedAt(Times.message(marker.startedAt()));
    if (marker.endedAt() != null) {
      message.setEndedAt(Times.message(marker.endedAt()));
    }
    if (marker.end() != null) {
      message.setEnd(io.agentjournal.v1.AttemptEnd.valueOf("ATTEMPT_END_" + marker.end().name()));
    }
    if (marker.reason() != null) {
      message.setReason(marker.reason());
    }
    if (marker.nextAttemptId() != null) {
      message.setNextAttemptId(marker.nextAttemptId());
    }
    return message.build();
  }
}
