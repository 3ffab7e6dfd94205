/**
 * What would be done about a submission, and doing it: plans, take-overs, telling of what became
 * recoverable, and the reconciler, which settles what nobody is left to settle.
 */
@NullMarked
package io.agentjournal.recovery;

import org.jspecify.annotations.NullMarked;
