/**
 * A whole agent on the Java client, to be copied: a worker whose handler goes on wherever another
 * one stopped. {@link io.agentjournal.it.agent.ExampleAgent} starts it, {@link
 * io.agentjournal.it.agent.TurnAgent} is what matters.
 */
@NullMarked
package io.agentjournal.it.agent;

import org.jspecify.annotations.NullMarked;
