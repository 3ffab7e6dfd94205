-- What WatchSubmission tells: what happened to each submission, in the order of commit. Written by the
-- transactions that change the submission or its slot; rows are never updated. Distributed by submission_id,
-- as the submissions.
--
-- event_number counts from 1 without holes. It is drawn, as the highest one there is plus 1, by a transaction
-- that keeps all others from drawing: it holds the submission's row FOR UPDATE, or FOR SHARE and the slot's row
-- FOR UPDATE. Segments, and the end of a stream by its writer, are not in here: they are read off the stream,
-- and stream_index tells where the events stand among them.
CREATE TABLE submission_events (
    namespace     text COLLATE "C" NOT NULL,
    submission_id text COLLATE "C" NOT NULL,
    event_number  bigint NOT NULL,
    happened_at   timestamptz NOT NULL DEFAULT now(),
    kind          text NOT NULL,                       -- the field's name in WatchSubmissionResponse
    -- The index at which the submission's stream stood, open before and after the event. NULL: no stream was
    -- open any more, those that there were had ended.
    stream_index  bigint,
    stream_key    text COLLATE "C",                    -- of STREAM_OPENED
    message       bytea NOT NULL,                      -- WatchSubmissionResponse in wire form, with the event alone
    PRIMARY KEY (namespace, submission_id, event_number)
);
