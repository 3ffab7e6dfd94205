-- The journal's tables. Rules that hold for all of them:
--   * The first column after `namespace` in every primary key (for streams and extents: `bucket`) is the
--     column by which the table would be distributed: session_key for sessions, their queue and entries;
--     submission_id for submissions and all that belongs to them; bucket for streams and extents.
--     Every primary key and unique constraint contains it, and no foreign key leaves its group.
--   * Keys compare bytewise (collation C), so that order and prefix searches do not depend on the locale.
--   * Payloads are bytea: NUL and split code points are legal there, and come back byte for byte.
--   * Times are now(), the start of the transaction on this database.

-- ---------------------------------------------------------------- sessions

-- One conversation. Locked (FOR UPDATE) by admit, append, settle, session abort and delete: its row is
-- what puts a session's submissions and entries in order.
CREATE TABLE sessions (
    namespace      text COLLATE "C" NOT NULL,
    session_key    text COLLATE "C" NOT NULL,
    leaf_id        text COLLATE "C",                   -- NULL: no entry yet, or rewound before the first
    next_sequence  bigint NOT NULL DEFAULT 1,          -- the place that the next admission gets
    entry_count    bigint NOT NULL DEFAULT 0,
    size_bytes     bigint NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    deleting_since timestamptz,
    PRIMARY KEY (namespace, session_key)
) WITH (fillfactor = 80);

-- ListPendingSessionDeletions, and whoever finishes what a crash cut short.
CREATE INDEX sessions_deleting ON sessions (namespace, session_key) WHERE deleting_since IS NOT NULL;

-- The unsettled submissions of a session in the order of admission; the lowest sequence is the head.
-- Written under the session's row lock, removed at settlement.
CREATE TABLE session_queue (
    namespace     text COLLATE "C" NOT NULL,
    session_key   text COLLATE "C" NOT NULL,
    sequence      bigint NOT NULL,
    submission_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, session_key, sequence),
    FOREIGN KEY (namespace, session_key) REFERENCES sessions
);

-- The transcript tree. Rows are never updated.
CREATE TABLE entries (
    namespace     text COLLATE "C" NOT NULL,
    session_key   text COLLATE "C" NOT NULL,
    entry_id      text COLLATE "C" NOT NULL,
    entry_number  bigint NOT NULL,                     -- order of insertion, from 0
    parent_id     text COLLATE "C",                    -- NULL: a root
    depth         bigint NOT NULL,                     -- roots have 0
    -- An ancestor further up (of a root: itself), chosen so that any ancestor is found in a number of steps that
    -- grows with the logarithm of the depth: ReadActivePath.
    jump_id       text COLLATE "C" NOT NULL,
    jump_depth    bigint NOT NULL,
    kind          text NOT NULL,
    payload_case  smallint NOT NULL,                   -- 0 none, 1 text, 2 json, 3 data
    payload       bytea NOT NULL,
    submission_id text COLLATE "C",
    turn_id       text COLLATE "C",
    tool_call_id  text COLLATE "C",
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, session_key, entry_id),
    FOREIGN KEY (namespace, session_key) REFERENCES sessions
);
-- ListEntries, and session deletion in slices.
CREATE UNIQUE INDEX entries_in_order ON entries (namespace, session_key, entry_number);

-- ---------------------------------------------------------------- submissions

-- The write token lives here: status = 'RUNNING' and attempt_id. Writes of slot, entries and streams by
-- an attempt lock the row FOR SHARE first; claim, replace, requeue and settle update it.
CREATE TABLE submissions (
    namespace                text COLLATE "C" NOT NULL,
    submission_id            text COLLATE "C" NOT NULL,
    session_key              text COLLATE "C" NOT NULL,
    sequence                 bigint NOT NULL,
    kind                     text NOT NULL CHECK (kind IN ('DISPATCH', 'DIRECT')),
    queue                    text COLLATE "C" NOT NULL,
    status                   text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'WAITING', 'SETTLED')),
    input_case               smallint NOT NULL,
    input                    bytea NOT NULL,
    admission_sha256         bytea NOT NULL,           -- what makes a repeated admission exact
    max_attempts             int NOT NULL,
    timeout_ms               bigint NOT NULL,
    attempt_count            int NOT NULL DEFAULT 0,
    attempt_id               text COLLATE "C",         -- while RUNNING
    owner                    text COLLATE "C",         -- while RUNNING
    lease_ms                 bigint,                   -- as last granted
    lease_expires_at         timestamptz,              -- while RUNNING
    admitted_at              timestamptz NOT NULL DEFAULT now(),
    started_at               timestamptz,              -- first claim
    deadline_at              timestamptz,              -- started_at + timeout_ms + time spent WAITING
    waiting_since            timestamptz,              -- while WAITING
    input_applied_at         timestamptz,
    input_applied_by         text COLLATE "C",         -- attempt
    not_before               timestamptz,
    -- QUEUED at the head of its session's queue: from when on it may be claimed, and its place among those
    -- of other sessions. WAITING: when it goes on by itself. Otherwise NULL.
    runnable_at              timestamptz,
    recovery_requested_at    timestamptz,
    recovery_not_before      timestamptz,
    recovery_reason          text,
    recovery_is_counted      boolean,                  -- false: asked for by the attempt or its owner
    abort_requested_at       timestamptz,
    abort_reason             text,
    outcome                  text CHECK (outcome IN ('COMPLETED', 'FAILED', 'ABORTED')),
    result_case              smallint,
    result                   bytea,
    failure_code             text,
    failure_message          text,
    settled_by_attempt_id    text COLLATE "C",         -- NULL: the reconciler or an abort
    settlement_sha256        bytea,                    -- what makes a repeated settlement exact
    unresolved_tool_call_ids text[],
    settled_at               timestamptz,
    traceparent              text,
    PRIMARY KEY (namespace, submission_id)
) WITH (fillfactor = 80);
-- The reconciler's and ListRecoverable's search for expired leases.
CREATE INDEX submissions_leased ON submissions (lease_expires_at) WHERE status = 'RUNNING';
-- The search for requested recoveries, by the same.
CREATE INDEX submissions_to_recover ON submissions (recovery_not_before)
    WHERE status = 'RUNNING' AND recovery_requested_at IS NOT NULL;
-- ClaimNextSubmission and ListSubmissions' RUNNABLE. Those that stand behind another one of their session
-- are not in it, however many they are.
CREATE INDEX submissions_runnable ON submissions (namespace, queue, runnable_at) WHERE runnable_at IS NOT NULL;
-- RequestRecovery by owner, ListSubmissions by owner.
CREATE INDEX submissions_of_owner ON submissions (namespace, owner, submission_id) WHERE status = 'RUNNING';
-- ListSubmissions of a session, DeleteSession.
CREATE INDEX submissions_of_session ON submissions (namespace, session_key, sequence);
-- ListSubmissions' UNSETTLED and the filters within it.
CREATE INDEX submissions_unsettled ON submissions (namespace, submission_id) WHERE status <> 'SETTLED';

-- One marker for each attempt, ever: an attempt id is used once per submission.
CREATE TABLE attempts (
    namespace       text COLLATE "C" NOT NULL,
    submission_id   text COLLATE "C" NOT NULL,
    attempt_id      text COLLATE "C" NOT NULL,
    attempt_number  int NOT NULL,                      -- from 1, also of attempts that are not counted
    owner           text COLLATE "C" NOT NULL,
    started_at      timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz,
    end_kind        text,                              -- AttemptEnd without its prefix
    reason          text,
    next_attempt_id text COLLATE "C",
    PRIMARY KEY (namespace, submission_id, attempt_id)
) WITH (fillfactor = 80);

-- What stays of a submission when its session is deleted.
CREATE TABLE receipts (
    namespace        text COLLATE "C" NOT NULL,
    submission_id    text COLLATE "C" NOT NULL,
    session_key      text COLLATE "C" NOT NULL,
    kind             text NOT NULL,
    admission_sha256 bytea NOT NULL,
    admitted_at      timestamptz NOT NULL DEFAULT now(),
    outcome          text,
    settled_at       timestamptz,
    PRIMARY KEY (namespace, submission_id)
);

-- ---------------------------------------------------------------- turns

-- The slot: one row for each submission, replaced in place by every BeginTurnJournal. Every transition
-- keeps who made it and with what, which is how a repeated call is told from a new one.
CREATE TABLE turn_journals (
    namespace          text COLLATE "C" NOT NULL,
    submission_id      text COLLATE "C" NOT NULL,
    session_key        text COLLATE "C" NOT NULL,
    kind               text NOT NULL,
    attempt_id         text COLLATE "C" NOT NULL,      -- who began the turn or took it over
    turn_id            text COLLATE "C" NOT NULL,
    revision           bigint NOT NULL,
    phase              text NOT NULL CHECK (phase IN
                         ('before_provider', 'provider_started', 'tool_request_recorded', 'committed')),
    -- BeginTurnJournal
    begun_by           text COLLATE "C" NOT NULL,      -- attempt, as the other ..._by
    operation_id       text NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT now(),
    traceparent        text,
    -- provider_started
    started_by         text COLLATE "C",
    stream_key         text COLLATE "C",
    content_type       text,
    -- MarkStreamConsumed
    consumed_by        text COLLATE "C",
    stream_consumed_at timestamptz,
    -- tool_request_recorded
    requested_by       text COLLATE "C",
    calls_sha256       bytea,
    checkpoint_leaf_id text COLLATE "C",
    request_leaf_id    text COLLATE "C",
    -- CommitTurnJournal
    committed_by       text COLLATE "C",
    committed_leaf_id  text COLLATE "C",
    final              boolean NOT NULL DEFAULT false,
    committed_at       timestamptz,
    updated_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, submission_id)
) WITH (fillfactor = 60);

-- Earlier turns as the slot had them when the next one was begun: a turn id is used once per submission,
-- and a delayed call of an earlier turn is judged by what is kept here. Rows are never updated.
CREATE TABLE turns (
    namespace          text COLLATE "C" NOT NULL,
    submission_id      text COLLATE "C" NOT NULL,
    turn_id            text COLLATE "C" NOT NULL,
    revision           bigint NOT NULL,
    phase              text NOT NULL,
    begun_by           text COLLATE "C" NOT NULL,
    operation_id       text NOT NULL,
    created_at         timestamptz NOT NULL,
    started_by         text COLLATE "C",
    stream_key         text COLLATE "C",
    content_type       text,
    consumed_by        text COLLATE "C",
    stream_consumed_at timestamptz,
    requested_by       text COLLATE "C",
    calls_sha256       bytea,
    checkpoint_leaf_id text COLLATE "C",
    request_leaf_id    text COLLATE "C",
    committed_by       text COLLATE "C",
    committed_leaf_id  text COLLATE "C",
    final              boolean NOT NULL,
    committed_at       timestamptz,
    PRIMARY KEY (namespace, submission_id, turn_id)
);
-- ListTurns.
CREATE UNIQUE INDEX turns_in_order ON turns (namespace, submission_id, revision);

-- The calls of a recorded tool request. Arguments are written once; state only goes forward.
CREATE TABLE tool_calls (
    namespace       text COLLATE "C" NOT NULL,
    submission_id   text COLLATE "C" NOT NULL,
    turn_id         text COLLATE "C" NOT NULL,
    tool_call_id    text COLLATE "C" NOT NULL,
    position        int NOT NULL,
    name            text NOT NULL,
    arguments       bytea NOT NULL,
    restart_safe    boolean NOT NULL,
    idempotency_key text NOT NULL,
    state           text NOT NULL DEFAULT 'RECORDED' CHECK (state IN ('RECORDED', 'STARTED', 'RESULT')),
    started_by      text COLLATE "C",                  -- attempt
    started_at      timestamptz,
    result_kind     text CHECK (result_kind IN ('OK', 'ERROR', 'INTERRUPTED', 'DENIED')),
    result_entry_id text COLLATE "C",
    ended_by        text COLLATE "C",                  -- attempt
    ended_at        timestamptz,
    PRIMARY KEY (namespace, submission_id, turn_id, tool_call_id)
) WITH (fillfactor = 80);

-- ---------------------------------------------------------------- streams

-- The head of a stream: how far it is written, whether it may be written, and by whom. Appends lock heads
-- FOR NO KEY UPDATE, ordered by stream_id. bucket = stable hash of (namespace, stream_key) mod 64. No
-- column that an append changes is indexed, so that its updates stay on the page (HOT).
CREATE TABLE streams (
    bucket          int NOT NULL,
    stream_id       bigint GENERATED ALWAYS AS IDENTITY,
    namespace       text COLLATE "C" NOT NULL,
    stream_key      text COLLATE "C" NOT NULL,
    state           text NOT NULL DEFAULT 'OPEN'
                      CHECK (state IN ('OPEN', 'COMPLETE', 'FAILED', 'SUPERSEDED', 'DELETED')),
    next_index      bigint NOT NULL DEFAULT 0,
    size_bytes      bigint NOT NULL DEFAULT 0,         -- payload bytes
    submission_id   text COLLATE "C",                  -- bound streams only, as the next three
    turn_id         text COLLATE "C",
    attempt_id      text COLLATE "C",                  -- who may append
    abort_requested boolean NOT NULL DEFAULT false,
    writer_epoch    bigint,                            -- stand-alone streams only: the highest seen
    content_type    text NOT NULL,
    finish_reason   text,
    failure_code    text,
    failure_message text,
    opened_at       timestamptz NOT NULL DEFAULT now(),
    last_segment_at timestamptz,
    ended_at        timestamptz,
    PRIMARY KEY (bucket, stream_id)
) WITH (fillfactor = 60);
-- Looking a stream up by its key; insert once.
CREATE UNIQUE INDEX streams_by_key ON streams (bucket, namespace, stream_key);
-- The flush's lock, which covers streams of many buckets in one statement.
CREATE INDEX streams_by_id ON streams (stream_id);
-- ListStreams.
CREATE INDEX streams_in_order ON streams (namespace, stream_key);
CREATE INDEX streams_of_submission ON streams (namespace, submission_id, stream_key)
    WHERE submission_id IS NOT NULL;

-- Segments [first_index, first_index + segment_count) of a stream, packed. Written once, under the head's
-- lock (therefore no foreign key, which would lock the head again for every row). format 1: the protobuf
-- wire form of SegmentRun.segments. checksum: CRC-32C of data.
CREATE TABLE extents (
    bucket        int NOT NULL,
    stream_id     bigint NOT NULL,
    first_index   bigint NOT NULL,
    segment_count int NOT NULL,
    format        smallint NOT NULL,
    checksum      int NOT NULL,
    data          bytea NOT NULL,
    PRIMARY KEY (bucket, stream_id, first_index)
);
-- Tokens are small and hot; trying to compress them costs more than it saves.
ALTER TABLE extents ALTER COLUMN data SET STORAGE EXTERNAL;

-- Streams whose head was changed by somebody else than their writer: attempt replaced, ended, superseded,
-- deleted, abort requested, epoch raised. Every server reads the recent rows and looks at those of its
-- open calls that they concern; rows are removed after a minute. Only changes produce rows, so that idle
-- streams cost nothing.
CREATE TABLE stream_notices (
    bucket     int NOT NULL,
    notice_id  bigint GENERATED ALWAYS AS IDENTITY,
    stream_id  bigint NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (bucket, notice_id)
);
CREATE INDEX stream_notices_recent ON stream_notices (noticed_at);

-- Deleted streams whose segments are still being removed, in slices. Written with the tombstone, removed
-- with the last slice; any server goes on with what another left behind.
CREATE TABLE stream_deletions (
    bucket     int NOT NULL,
    stream_id  bigint NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (bucket, stream_id)
);
