package io.agentjournal.it.agent;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * A whole response of the model: text in segments of text, each tool call in a segment of bytes.
 */
record Response(List<Segment> segments) {
  Response {
    segments = List.copyOf(segments);
  }

  static Segment text(String text) {
    return Segment.newBuilder().setText(text).build();
  }

  static Segment toolCall(NewToolCall call) {
    return Segment.newBuilder().setData(call.toByteString()).build();
  }

  String text() {
    StringBuilder text = new StringBuilder();
    segments.stream().filter(Segment::hasText).forEach(each -> text.append(each.getText()));
    return text.toString();
  }

  List<NewToolCall> toolCalls() throws InvalidProtocolBufferException {
    List<NewToolCall> calls = new ArrayList<>();
    for (Segment segment : segments) {
      if (segment.hasData()) {
        calls.add(NewToolCall.parseFrom(segment.getData()));
      }
    }
    return calls;
  }
}
