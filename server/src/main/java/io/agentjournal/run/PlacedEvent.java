package io.agentjournal.run;

import io.agentjournal.key.RunId;

/**
 * An event with its place in the order of its run, which it gets if its key is new; if not, the
 * number becomes the version of the new payload.
 */
record PlacedEvent(RunId run, NewEvent event, long position) {}
