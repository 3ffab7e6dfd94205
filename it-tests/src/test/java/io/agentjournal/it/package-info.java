/** The journal as a process of its own, killed, misused and measured. */
@NullMarked
package io.agentjournal.it;

import org.jspecify.annotations.NullMarked;
