-- The run-state journal, independent of submissions. Distribution column of all three tables: run_id.

-- One agent run. Locked (FOR NO KEY UPDATE) by everything that writes to the run or to its events, so
-- that a claim shuts out whoever wrote before it. An append to a run that nobody has opened makes a row
-- that is UNOPENED: it puts the appends in order, and no call shows it. No column that an append changes
-- is indexed, so that its updates stay on the page (HOT).
CREATE TABLE runs (
    namespace        text COLLATE "C" NOT NULL,
    run_id           text COLLATE "C" NOT NULL,
    status           text NOT NULL CHECK (status IN
                       ('UNOPENED', 'RUNNING', 'DONE', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    agent            text NOT NULL DEFAULT '',
    task             text NOT NULL DEFAULT '',
    outcome          text,                             -- the raw word of the last close
    checkpoint_id    text COLLATE "C",
    metadata         bytea NOT NULL DEFAULT '{}',      -- JSON text
    -- The latest claim. It is kept when it has ended: a write in its name is told from one in the name
    -- of a claim before it.
    claim_id         text COLLATE "C",
    owner            text COLLATE "C",
    lease_expires_at timestamptz,                      -- NULL: no claim, or it has ended
    next_position    bigint NOT NULL DEFAULT 0,        -- the lowest that no event has had
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, run_id)
) WITH (fillfactor = 70);
-- ListRuns.
CREATE INDEX runs_in_order ON runs (namespace, created_at, run_id) WHERE status <> 'UNOPENED';
-- ListInterruptedRuns, ClaimRun of the oldest, ListRuns by status.
CREATE INDEX runs_by_status ON runs (namespace, status, created_at, run_id);
-- A repeated ClaimRun of the oldest.
CREATE INDEX runs_of_claim ON runs (namespace, claim_id) WHERE claim_id IS NOT NULL;

-- Every claim that a run has had: a claim id is used once per run.
CREATE TABLE run_claims (
    namespace  text COLLATE "C" NOT NULL,
    run_id     text COLLATE "C" NOT NULL,
    claim_id   text COLLATE "C" NOT NULL,
    owner      text COLLATE "C" NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, run_id, claim_id)
);

-- The events, written under the run's lock (therefore no foreign key, which would lock the run again for
-- every row). Read in the order (seq, position): the primary key gives seq, and of one seq there are few.
CREATE TABLE run_events (
    namespace       text COLLATE "C" NOT NULL,
    run_id          text COLLATE "C" NOT NULL,
    seq             bigint NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    position        bigint NOT NULL,                   -- order of first insertion; it never changes
    version         bigint NOT NULL,                   -- another one for each payload that was stored here
    payload_case    smallint NOT NULL,                 -- as in entries
    payload         bytea NOT NULL,
    iteration_index bigint,                            -- `index` of an iteration's payload
    created_at      timestamptz,                       -- as the caller said; NULL: written_at
    written_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, run_id, seq, kind)
);
-- GetLastIteration.
CREATE INDEX run_events_iterations ON run_events (namespace, run_id, iteration_index)
    WHERE iteration_index IS NOT NULL;
-- Uncompressed, so that a part of a large payload is read without the rest.
ALTER TABLE run_events ALTER COLUMN payload SET STORAGE EXTERNAL;
