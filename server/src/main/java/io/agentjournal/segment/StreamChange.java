package io.agentjournal.segment;

import java.util.List;

/**
 * What somebody who follows a stream is told: its head, and extents that brought it there, as far
 * as they are at hand: those that a lane of this server has just committed, or small ones that a
 * look at the table found. Without extents it says only that the head is now at least here.
 */
record StreamChange(Head head, List<Extent> extents) {}
