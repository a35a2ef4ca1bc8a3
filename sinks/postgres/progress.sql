-- name: lock_progress
-- The first statement of a batch: whoever holds this row owns the partition, and state is read after it.
SELECT next_offset, last_offset, last_hash, published_offset
FROM progress WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s
FOR UPDATE;

-- name: insert_progress
-- On first sight of a partition.
INSERT INTO progress (stage, topic, partition) VALUES (%(stage)s, %(topic)s, %(partition)s)
ON CONFLICT DO NOTHING;

-- name: read_progress
-- Without the lock, for the checks at the start.
SELECT next_offset, last_offset, last_hash, published_offset
FROM progress WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s;

-- name: advance_progress
-- The last statement of a batch but for the counters.
UPDATE progress SET next_offset = %(next_offset)s, last_offset = %(last_offset)s, last_hash = %(last_hash)s,
    updated_at = now()
WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s;

-- name: mark_published
-- The cursor never goes back, whoever is late.
UPDATE progress SET published_offset = greatest(published_offset, %(next_offset)s)
WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s;

-- name: publish_asynchronously
-- For the cursor only: losing its last move in a crash of the server repeats a publication, which readers drop
-- by version; waiting for the disk here would double the flushes of a batch.
SET LOCAL synchronous_commit = off;

-- name: bump_counters
-- One row per counter that moved.
INSERT INTO counters (stage, topic, partition, name, detail, n)
SELECT %(stage)s, %(topic)s, %(partition)s, c.name, c.detail, c.n
FROM unnest(%(names)s, %(details)s, %(ns)s) AS c (name, detail, n)
ON CONFLICT (stage, topic, partition, name, detail) DO UPDATE SET n = counters.n + excluded.n;

-- name: copy_outbox
-- Behind the rows of earlier batches: a batch's source offset is the last of its records.
COPY outbox (stage, topic, partition, source_offset, ordinal, target, key, value, headers)
FROM STDIN (FORMAT BINARY);

-- name: unpublished
-- Whole batches from the cursor on, about as many rows as asked for.
WITH cursor AS (
    SELECT published_offset FROM progress
    WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s
), bound AS (
    SELECT source_offset FROM outbox
    WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s
        AND source_offset >= (SELECT published_offset FROM cursor)
    ORDER BY source_offset, ordinal OFFSET %(n)s - 1 LIMIT 1
)
SELECT source_offset, ordinal, target, key, value, headers FROM outbox
WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s
    AND source_offset >= (SELECT published_offset FROM cursor)
    AND source_offset <= coalesce((SELECT source_offset FROM bound), 9223372036854775807)
ORDER BY source_offset, ordinal;

-- name: register_log
-- The first sight wins; the answer is what the ledger follows.
WITH added AS (
    INSERT INTO logs (stage, topic, cluster_id, partitions)
    VALUES (%(stage)s, %(topic)s, %(cluster_id)s, %(partitions)s)
    ON CONFLICT DO NOTHING RETURNING cluster_id, partitions
)
SELECT cluster_id, partitions FROM added
UNION ALL
SELECT cluster_id, partitions FROM logs WHERE stage = %(stage)s AND topic = %(topic)s
LIMIT 1;
