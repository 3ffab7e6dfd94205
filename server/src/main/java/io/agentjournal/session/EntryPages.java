package io.agentjournal.session;

import io.agentjournal.transcript.Entry;
import java.util.List;

/** Entries in order, without payloads, read a page at a time as they are asked for. Blocks. */
@FunctionalInterface
interface EntryPages {
  int PAGE_SIZE = 256;

  /** Empty: there are no more. */
  List<Entry> next();
}
