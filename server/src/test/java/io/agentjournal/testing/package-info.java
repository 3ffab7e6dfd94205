/** What tests of several packages, and those of the it-tests module, start and wait with. */
@NullMarked
package io.agentjournal.testing;

import org.jspecify.annotations.NullMarked;
