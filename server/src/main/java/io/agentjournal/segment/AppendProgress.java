package io.agentjournal.segment;

/** How far an append call got: the stream's head, and what the call itself did to it. */
record AppendProgress(Head head, long appended, long duplicates) {
  AppendProgress after(Head now, int moreAppended, int moreDuplicates) {
    return new AppendProgress(now, appended + moreAppended, duplicates + moreDuplicates);
  }

  /** With the head as somebody read it just now, which may be older than what the call knows. */
  AppendProgress seen(Head read) {
    return read.nextIndex() < head.nextIndex()
        ? this
        : new AppendProgress(read, appended, duplicates);
  }
}
