/** Ids and keys as values that are good by construction. Every concept uses them, they use none. */
@NullMarked
package io.agentjournal.key;

import org.jspecify.annotations.NullMarked;
