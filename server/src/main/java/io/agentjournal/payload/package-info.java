/** What callers store, as bytes with the case that they were sent in. Every concept may use it. */
@NullMarked
package io.agentjournal.payload;

import org.jspecify.annotations.NullMarked;
