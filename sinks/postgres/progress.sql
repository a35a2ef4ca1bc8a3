-- name: lock_progress
-- The first statement of a batch: whoever holds these rows owns the partitions, and state is read after it. Locked in
-- the order of the partitions, so that two owners of overlapping sets wait for each other and do not deadlock.
SELECT partition, next_offset, last_offset, last_hash, published_offset
FROM progress WHERE stage = %(stage)s AND topic = %(topic)s AND partition = ANY (%(partitions)s)
ORDER BY partition
FOR UPDATE;

-- name: insert_progress
-- On first sight of partitions, in their order as well.
INSERT INTO progress (stage, topic, partition)
SELECT %(stage)s, %(topic)s, p FROM unnest(%(partitions)s) AS p ORDER BY p
ON CONFLICT DO NOTHING;

-- name: read_progress
-- Without the lock, for the checks at the start.
SELECT next_offset, last_offset, last_hash, published_offset
FROM progress WHERE stage = %(stage)s AND topic = %(topic)s AND partition = %(partition)s;

-- name: advance_progress
-- The last statement of a batch but for the counters.
UPDATE progress AS p SET next_offset = n.next_offset, last_offset = n.last_offset, last_hash = n.last_hash,
    published_offset = greatest(p.published_offset, n.published_offset), updated_at = now()
FROM unnest(%(partitions)s, %(next_offsets)s, %(last_offsets)s, %(last_hashes)s, %(published_offsets)s)
    AS n (partition, next_offset, last_offset, last_hash, published_offset)
WHERE p.stage = %(stage)s AND p.topic = %(topic)s AND p.partition = n.partition;

-- name: mark_published
-- The cursor never goes back, whoever is late.
UPDATE progress AS p SET published_offset = greatest(p.published_offset, n.next_offset)
FROM (
    SELECT o.partition, o.next_offset
    FROM progress AS held
    JOIN unnest(%(partitions)s, %(next_offsets)s) AS o (partition, next_offset) ON o.partition = held.partition
    WHERE held.stage = %(stage)s AND held.topic = %(topic)s
    ORDER BY held.partition
    FOR UPDATE OF held
) AS n
WHERE p.stage = %(stage)s AND p.topic = %(topic)s AND p.partition = n.partition;

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
