/**
 * Why a call is refused: one sealed family of exceptions that carry the facts a caller can act on.
 */
@NullMarked
package io.agentjournal.refusal;

import org.jspecify.annotations.NullMarked;
