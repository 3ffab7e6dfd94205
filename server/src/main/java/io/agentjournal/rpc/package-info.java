/**
 * What every call has in common: its namespace, the role that it needs, where its blocking work
 * runs, and how it fails.
 */
@NullMarked
package io.agentjournal.rpc;

import org.jspecify.annotations.NullMarked;
