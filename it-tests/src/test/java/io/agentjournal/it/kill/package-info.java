/** Recorded model responses, played into a server that is killed, by writers that are killed. */
@NullMarked
package io.agentjournal.it.kill;

import org.jspecify.annotations.NullMarked;
