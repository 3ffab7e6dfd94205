package io.agentjournal.run;

/**
 * The run after a call.
 *
 * @param applied false: it was so already
 */
record RunChange(boolean applied, Run run) {}
