/** The server as its users meet it: a process, a port, a protocol; and killed, and misused. */
@NullMarked
package io.agentjournal.it;

import org.jspecify.annotations.NullMarked;
