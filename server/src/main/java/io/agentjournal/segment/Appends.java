package io.agentjournal.segment;

import io.agentjournal.rpc.AppendMemory;
import io.agentjournal.rpc.Draining;

/** What every append call of a server works with. */
record Appends(
    AppendLimits limits,
    AppendMessages messages,
    AppendMemory memory,
    Lanes lanes,
    StreamChanges changes,
    Draining draining) {}
