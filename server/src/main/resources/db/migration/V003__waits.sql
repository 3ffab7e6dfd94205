-- What WAITING submissions wait for: named questions to persons or programs, each answered once.

-- Distributed by submission_id, as the submissions. Written under the submission's row lock.
CREATE TABLE submission_waits (
    namespace     text COLLATE "C" NOT NULL,
    submission_id text COLLATE "C" NOT NULL,
    wait_id       text COLLATE "C" NOT NULL,
    position      int NOT NULL DEFAULT 0,              -- in its suspension
    asked_at      timestamptz,                         -- NULL: answered before it was asked
    expires_at    timestamptz,                         -- NULL: never
    question_case smallint NOT NULL DEFAULT 0,
    question      bytea NOT NULL DEFAULT '',
    answered_at   timestamptz,
    answer_case   smallint NOT NULL DEFAULT 0,
    answer        bytea NOT NULL DEFAULT '',
    answered_by   text,
    PRIMARY KEY (namespace, submission_id, wait_id)
) WITH (fillfactor = 80);

-- The last suspension: the waits of then, and answers that came before their questions, are shown with the
-- submission. NULL also tells that there is nothing to look for in submission_waits, unless has_waits.
ALTER TABLE submissions ADD COLUMN suspended_at timestamptz;
ALTER TABLE submissions ADD COLUMN has_waits boolean NOT NULL DEFAULT false;

-- The reconciler's search for those that were given back and whose time is over before somebody took them.
CREATE INDEX submissions_overdue ON submissions (deadline_at) WHERE status = 'QUEUED' AND deadline_at IS NOT NULL;
