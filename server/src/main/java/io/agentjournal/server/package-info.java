/** The process: what it is told, what it is made of, how it starts and how it ends. */
@NullMarked
package io.agentjournal.server;

import org.jspecify.annotations.NullMarked;
