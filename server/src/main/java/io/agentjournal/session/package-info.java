/**
 * The calls of SessionService. What they share with other transactions is in {@code
 * io.agentjournal.transcript}; who may move a session's leaf depends on the submission that runs in
 * it, so that this stands above submissions.
 */
@NullMarked
package io.agentjournal.session;

import org.jspecify.annotations.NullMarked;
