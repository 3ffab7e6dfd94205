/** Take-overs by many, on several servers. */
@NullMarked
package io.agentjournal.it.recovery;

import org.jspecify.annotations.NullMarked;
