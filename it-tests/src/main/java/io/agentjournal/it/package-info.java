/**
 * What it takes to run the journal as users do, in processes of its own, and to end them as no user
 * would.
 */
@NullMarked
package io.agentjournal.it;

import org.jspecify.annotations.NullMarked;
