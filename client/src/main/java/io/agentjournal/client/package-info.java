/**
 * What every user of the generated stubs would otherwise write: a writer that survives cuts, a
 * reader that ends only on the typed end, a keeper of leases, and refusals as exceptions.
 * Everything else is called on the stubs, over {@link
 * io.agentjournal.client.JournalClient#channel()}.
 */
@NullMarked
package io.agentjournal.client;

import org.jspecify.annotations.NullMarked;
