package io.agentjournal.run;

/** What becomes of an event whose key is recorded already. */
enum AppendMode {
  REPLACE,
  KEEP_FIRST,
  REFUSE_OTHER
}
