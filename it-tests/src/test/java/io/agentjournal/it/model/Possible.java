package io.agentjournal.it.model;

/** One way in which a call may end: its answer, and the world after it. */
record Possible(Answer answer, World after) {}
