/** What agent-journal is for, shown in under a minute with real processes and real kills. */
@NullMarked
package io.agentjournal.it.demo;

import org.jspecify.annotations.NullMarked;
