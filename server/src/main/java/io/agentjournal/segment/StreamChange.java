package io.agentjournal.segment;

import java.util.List;

/**
 * What somebody who follows a stream is told: its head, and the extents that brought it there if a
 * lane of this server has just committed them. Empty extents say only that the head is now at least
 * here.
 */
record StreamChange(Head head, List<Extent> extents) {}
