-- What ClaimNextSubmission gave to whom: a retry after a lost answer gets what the first call claimed.
-- call_id is that of the last call that was told; a call that was cancelled gives back only what no later
-- call was told of. Distributed by attempt_id; written last in a claim's transaction.
CREATE TABLE next_claims (
    namespace     text COLLATE "C" NOT NULL,
    attempt_id    text COLLATE "C" NOT NULL,
    owner         text COLLATE "C" NOT NULL,
    submission_id text COLLATE "C" NOT NULL,
    call_id       text COLLATE "C" NOT NULL,
    attempt_cost  int NOT NULL,                        -- what the claim added to attempt_count
    claimed_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, attempt_id)
);
-- DeleteSession.
CREATE INDEX next_claims_of_submission ON next_claims (namespace, submission_id);
