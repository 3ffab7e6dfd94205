/** Tests that what the documentation says of the benchmark is what the benchmark says. */
@NullMarked
package io.agentjournal.it.benchmark;

import org.jspecify.annotations.NullMarked;
