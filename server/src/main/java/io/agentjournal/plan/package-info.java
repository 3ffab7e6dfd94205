/**
 * The recovery classifier: what whoever holds a submission does next, as a pure function of facts.
 * It knows neither database nor server, and only {@code PlanMessages} knows messages, so that the
 * client library can carry it too.
 */
@NullMarked
package io.agentjournal.plan;

import org.jspecify.annotations.NullMarked;
