/**
 * The contract as a plain model in memory, and what plays random sequences of calls against it and
 * two servers. The model shares nothing with the server but the protocol's messages.
 */
@NullMarked
package io.agentjournal.it.model;

import org.jspecify.annotations.NullMarked;
