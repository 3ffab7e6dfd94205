/**
 * What happens to submissions, as a list of events that others write in the transactions in which
 * it happens, and WatchSubmission, which tells it with the segments of the submission's streams.
 */
@NullMarked
package io.agentjournal.event;

import org.jspecify.annotations.NullMarked;
