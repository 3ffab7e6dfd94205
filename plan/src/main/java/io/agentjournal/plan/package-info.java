/**
 * The recovery classifier: what whoever holds a submission does next, as a pure function of facts.
 * It knows neither database nor connection, and only {@code PlanMessages} knows messages; so the
 * server and the client library carry the same one.
 */
@NullMarked
package io.agentjournal.plan;

import org.jspecify.annotations.NullMarked;
