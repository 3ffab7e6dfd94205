/** What the threads have in common that work in the background. */
@NullMarked
package io.agentjournal.background;

import org.jspecify.annotations.NullMarked;
