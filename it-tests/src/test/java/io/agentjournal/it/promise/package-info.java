/** The promise, end to end: agents do their work once, whatever happens to them and the journal. */
@NullMarked
package io.agentjournal.it.promise;

import org.jspecify.annotations.NullMarked;
