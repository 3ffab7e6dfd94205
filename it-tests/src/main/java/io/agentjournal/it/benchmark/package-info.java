/** Programs that measure. Nothing here passes or fails; docs/benchmarks says what was seen. */
@NullMarked
package io.agentjournal.it.benchmark;

import org.jspecify.annotations.NullMarked;
