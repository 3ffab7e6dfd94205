/**
 * The run-state journal. Changes of one run ({@link RunStore}) and group-committed appends ({@link
 * AppendLanes}) both lock the run's row first; what a write may do is judged under that lock. It
 * stands beside the other concepts and needs none of them.
 */
@NullMarked
package io.agentjournal.run;

import org.jspecify.annotations.NullMarked;
