package io.agentjournal.it.demo;

import java.util.List;
import java.util.regex.Pattern;

/** What the model of this demonstration says. Nobody has to pay for it. */
final class Script {
  static final String SUBMISSION = "demo-submission";
  static final String SESSION = "demo-session";
  static final String TURN = "turn-1";
  static final String FIRST_ATTEMPT = "attempt-1";
  static final String SECOND_ATTEMPT = "attempt-2";
  static final int TOKENS_PER_SECOND = 40;

  /** As the slot mints it. */
  static final String STREAM = SUBMISSION + ":" + TURN + ":" + FIRST_ATTEMPT;

  private static final String RESPONSE =
      """
      A ship's log is written while the ship sails, not when it has arrived. Every hour the officer \
      on watch notes course, speed and depth, in ink, one line below the other, and signs. If the \
      watch changes in the middle of the night, the next officer does not sail back to the harbour \
      to find out where they are: the last line says it. And if the first officer wakes up and \
      reaches for the pen again, the book is no longer open to that hand. That is all there is to \
      it. One line at a time, in order, each of them certain before the next is begun, and exactly \
      one hand that may write. The rest of this voyage was written by somebody else than its \
      beginning, and you could not tell where.""";

  private static final Pattern BETWEEN_TOKENS = Pattern.compile("(?= )");

  static final List<String> TOKENS = List.of(BETWEEN_TOKENS.split(RESPONSE));

  private Script() {}

  static String response() {
    return RESPONSE;
  }
}
