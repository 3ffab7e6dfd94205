package io.agentjournal.client;

import io.agentjournal.v1.EventKind;

/** Where something is recorded in a run. */
record RecordedEvent(long seq, EventKind kind) {}
