"""Writes to DBOS streams on PostgreSQL and prints how many values it took in each second.

Arguments: the database's URL, workflows, seconds, the payload's text.
Each run is a workflow of this process with a stream of its own.
"""

import sys
import time

from dbos import DBOS, DBOSConfig


def main(url, runs, seconds, text):
    config: DBOSConfig = {
        "name": "benchmark",
        "system_database_url": url,
        "sys_db_pool_size": 20,
        "run_admin_server": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)
    value = {"result": text}

    @DBOS.workflow()
    def write(until):
        written = 0
        while time.monotonic() < until:
            DBOS.write_stream("events", value)
            written += 1
        return written

    DBOS.launch()
    start = time.monotonic()
    handles = [DBOS.start_workflow(write, start + seconds) for _ in range(runs)]
    written = sum(handle.get_result() for handle in handles)
    print("EVENTS_PER_SECOND", written / (time.monotonic() - start))
    DBOS.destroy()


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
