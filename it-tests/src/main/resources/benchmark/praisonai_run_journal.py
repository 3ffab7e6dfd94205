"""Appends to PraisonAI's RunJournal (SQLite) and prints how many events it took in each second.

Arguments: the database's file, runs, seconds, the payload's text, SQLite's synchronous.
Each run is a thread of this process; they share the journal, as agents of one process do.
"""

import sys
import threading
import time
import uuid

from praisonaiagents.runtime.journal import JournalEvent, RunJournal


def main(path, runs, seconds, text, synchronous):
    journal = RunJournal(path)
    journal._conn.execute("PRAGMA synchronous = " + synchronous)
    counts = [0] * runs
    start = time.monotonic()
    end = start + seconds

    def append(run):
        run_id = str(uuid.uuid4())
        journal.open_run(run_id)
        while time.monotonic() < end:
            journal.append(JournalEvent(run_id, counts[run], "tool_result", {"result": text}))
            counts[run] += 1

    threads = [threading.Thread(target=append, args=(run,)) for run in range(runs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("EVENTS_PER_SECOND", sum(counts) / (time.monotonic() - start))


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5])
