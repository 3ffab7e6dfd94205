package io.agentjournal.event;

import io.agentjournal.segment.SegmentReads;

/** What all WatchSubmission calls of a server work with. */
record Watches(
    WatchStartStore starts, WatchStore store, SubmissionWatch watch, SegmentReads reads) {}
