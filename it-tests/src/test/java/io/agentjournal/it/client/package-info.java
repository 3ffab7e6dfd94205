/** The client library against a real server, over a network and past a server that fail. */
@NullMarked
package io.agentjournal.it.client;

import org.jspecify.annotations.NullMarked;
