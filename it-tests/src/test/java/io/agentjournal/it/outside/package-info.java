/**
 * The server as those see it who have nothing of ours: tools, other languages, the documentation.
 */
@NullMarked
package io.agentjournal.it.outside;

import org.jspecify.annotations.NullMarked;
