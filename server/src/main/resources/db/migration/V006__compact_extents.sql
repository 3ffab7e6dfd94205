-- Segments of streams that have ended, in their form at rest: what was one row in extents for each commit is
-- here one for some 32 KiB, deflated. Moved here by the servers in the background, each stretch in one transaction
-- that holds the stream's head: a segment is in one of the two tables, never in both and never in none. Of one
-- stream the beginning is here and the rest, if any is left, in extents. Distributed by bucket, as the extents.
-- format 1: as in extents (what deflating would not make smaller). 2: the same, deflated (RFC 1951).
-- checksum: CRC-32C of data. plain_bytes: of format 1 that data has or was deflated from.
CREATE TABLE compact_extents (
    bucket        int NOT NULL,
    segment_count int NOT NULL,
    stream_id     bigint NOT NULL,
    first_index   bigint NOT NULL,
    checksum      int NOT NULL,
    plain_bytes   int NOT NULL,
    format        smallint NOT NULL,
    data          bytea NOT NULL,
    -- ReadSegments, and the judgement of repeated appends.
    PRIMARY KEY (bucket, stream_id, first_index)
);
-- It is compressed already.
ALTER TABLE compact_extents ALTER COLUMN data SET STORAGE EXTERNAL;

-- Every row of extents is deleted some time after its stream's end. Vacuumed early, its pages are used again
-- instead of new ones.
ALTER TABLE extents SET (autovacuum_vacuum_scale_factor = 0.05);
