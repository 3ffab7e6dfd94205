package io.agentjournal.it.promise;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.Segment;
import java.util.List;

/**
 * What the model says: two turns that ask for tools, then the answer. Each token says its place and
 * which asking of the model brought it.
 */
final class Script {
  static final int STEPS = 3;

  /** A tool that does it as often as it is told. */
  static final String APPEND = "append";

  /** A tool that keeps idempotency keys, and may be restarted. */
  static final String PUT = "put";

  private static final int[] TOKENS = {30, 20, 40};

  /** Ids come again in later turns, as providers' do. */
  private static final List<List<String>> TOOLS =
      List.of(List.of(APPEND, PUT), List.of(APPEND), List.of());

  private Script() {}

  static int length(int step) {
    return TOKENS[step] + TOOLS.get(step).size();
  }

  static List<String> tools(int step) {
    return TOOLS.get(step);
  }

  static Segment segment(String submissionId, int step, int index, String askId) {
    if (index < TOKENS[step]) {
      return Segment.newBuilder().setText(token(step, index) + askId + " ").build();
    }
    int place = index - TOKENS[step];
    String name = TOOLS.get(step).get(place);
    return Segment.newBuilder()
        .setData(
            NewToolCall.newBuilder()
                .setToolCallId("call_" + place)
                .setName(name)
                .setRestartSafe(name.equals(PUT))
                .setArguments(ByteString.copyFromUtf8(effect(submissionId, step, name)))
                .build()
                .toByteString())
        .build();
  }

  static String effect(String submissionId, int step, String tool) {
    return submissionId + "/" + step + "/" + tool;
  }

  /** How the token begins, whoever brought it. */
  static String token(int step, int index) {
    return step + "." + index + "@";
  }

  static int stepOf(String text) {
    return Integer.parseInt(text.substring(0, text.indexOf('.')));
  }

  /** Which asking brought a token. */
  static String askIdOf(String token) {
    return token.substring(token.indexOf('@') + 1, token.length() - 1);
  }
}
