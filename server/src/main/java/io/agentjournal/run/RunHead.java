package io.agentjournal.run;

/** What an append needs of its run, under the run's lock. */
record RunHead(Fence fence, long nextPosition) {}
