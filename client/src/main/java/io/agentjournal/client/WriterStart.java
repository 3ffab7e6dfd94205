package io.agentjournal.client;

/**
 * Where a writer begins.
 *
 * @param resume at what the server has, else at {@code index}
 * @param fenced nobody but this writer may write while its calls are accepted
 */
record WriterStart(boolean resume, long index, boolean fenced) {}
