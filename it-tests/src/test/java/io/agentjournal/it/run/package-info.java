/** Agents that keep a run journal: replayed, killed, and out of date. */
@NullMarked
package io.agentjournal.it.run;

import org.jspecify.annotations.NullMarked;
