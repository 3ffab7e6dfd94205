/** The server's log, on standard error. Nobody names it: SLF4J finds it. */
@NullMarked
package io.agentjournal.log;

import org.jspecify.annotations.NullMarked;
