/**
 * Submissions: admitted, claimed by one attempt at a time, settled once. {@link SubmissionRows}
 * holds the write token that every other concept asks for before it writes in an attempt's name.
 */
@NullMarked
package io.agentjournal.submission;

import org.jspecify.annotations.NullMarked;
