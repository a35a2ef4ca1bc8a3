-- name: lock_identity
-- One number for a schema and a tenant: replays into other schemas do not wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':identity:' || %(tenant)s, 0));

-- name: identity_names_by_key
-- The names of the places; of each place at most its limit, in a fixed order.
SELECT DISTINCT found.entity
FROM unnest(%(places)s, %(limits)s) AS want (place, n)
CROSS JOIN LATERAL (
    SELECT r.entity FROM entity_name_keys AS k JOIN entity_names AS r ON r.id = k.name
    WHERE k.place = want.place ORDER BY k.name LIMIT want.n
) AS found;

-- name: identity_by_identifier
-- The entities that have them.
SELECT DISTINCT i.entity FROM unnest(%(ids)s) AS want (id) JOIN entity_identifiers AS i ON i.id = want.id;

-- name: identity_forwards
-- The forwards that lead from or to the entities, however many steps; UNION ends at a circle.
WITH RECURSIVE near (entity) AS (
    SELECT want.entity COLLATE "C" FROM unnest(%(entities)s) AS want (entity)
    UNION
    SELECT CASE WHEN f.entity = near.entity THEN f.target ELSE f.entity END
    FROM near
    CROSS JOIN LATERAL (
        SELECT entity, target FROM entity_forwards WHERE tenant = %(tenant)s AND entity = near.entity
        UNION ALL
        SELECT entity, target FROM entity_forwards WHERE tenant = %(tenant)s AND target = near.entity
    ) AS f
)
SELECT near.entity, f.target FROM near
LEFT JOIN entity_forwards AS f ON f.tenant = %(tenant)s AND f.entity = near.entity;

-- name: identity_names
-- All names of the entities.
SELECT r.entity, r.name, r.type, r.origin
FROM unnest(%(entities)s) AS want (entity)
JOIN entity_names AS r ON r.tenant = %(tenant)s AND r.entity = want.entity
ORDER BY r.entity, r.id;

-- name: identity_identifiers
-- All identifiers of the entities.
SELECT i.key, i.entity
FROM unnest(%(entities)s) AS want (entity)
JOIN entity_identifiers AS i ON i.tenant = %(tenant)s AND i.entity = want.entity
ORDER BY i.key;

-- name: identity_suspects
-- Of the entities, from both sides.
SELECT s.first, s.second, s.why, s.score FROM unnest(%(entities)s) AS want (entity)
JOIN entity_suspects AS s ON s.tenant = %(tenant)s AND s.first = want.entity
UNION
SELECT s.first, s.second, s.why, s.score FROM unnest(%(entities)s) AS want (entity)
JOIN entity_suspects AS s ON s.tenant = %(tenant)s AND s.second = want.entity;

-- name: identity_nearby
-- The last that were named in each conversation.
SELECT want.n, found.entity
FROM unnest(%(conversations)s) WITH ORDINALITY AS want (conversation, n)
CROSS JOIN LATERAL (
    SELECT c.entity FROM conversation_entities AS c
    WHERE c.conversation = want.conversation ORDER BY c.n DESC LIMIT %(limit)s
) AS found;

-- name: identity_last_said
-- One row a conversation.
SELECT want.n, l.event_id, l.facts FROM unnest(%(conversations)s) WITH ORDINALITY AS want (conversation, n)
JOIN conversation_last AS l ON l.conversation = want.conversation;

-- name: add_names
-- A stated name takes the place of one that was only seen.
INSERT INTO entity_names (id, tenant, entity, type, name, origin) SELECT * FROM unnest(%s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET origin = excluded.origin WHERE excluded.origin = 'stated';

-- name: add_name_keys
-- Once is enough.
INSERT INTO entity_name_keys (place, name) SELECT * FROM unnest(%s, %s) ON CONFLICT DO NOTHING;

-- name: delete_names
-- With their keys.
DELETE FROM entity_names AS r USING unnest(%s) AS n (id) WHERE r.id = n.id;

-- name: add_identifiers
-- The first entity keeps it.
INSERT INTO entity_identifiers (id, tenant, key, entity) SELECT * FROM unnest(%s, %s, %s, %s)
ON CONFLICT (id) DO NOTHING;

-- name: add_suspects
-- Once is enough.
INSERT INTO entity_suspects (id, tenant, first, second, why, score) SELECT * FROM unnest(%s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO NOTHING;

-- name: add_named
-- Once is enough.
INSERT INTO conversation_entities (conversation, id, entity) SELECT * FROM unnest(%s, %s, %s) ON CONFLICT DO NOTHING;

-- name: put_last_said
-- The last one takes the place of the one before.
INSERT INTO conversation_last (conversation, event_id, facts) SELECT * FROM unnest(%s, %s, %s)
ON CONFLICT (conversation) DO UPDATE SET event_id = excluded.event_id, facts = excluded.facts;

-- name: put_forward
-- What it is merged into now.
INSERT INTO entity_forwards (tenant, entity, target, command)
VALUES (%(tenant)s, %(entity)s, %(target)s, %(command)s)
ON CONFLICT (tenant, entity) DO UPDATE SET target = excluded.target, command = excluded.command;

-- name: delete_forward
-- It stands for itself again.
DELETE FROM entity_forwards WHERE tenant = %(tenant)s AND entity = %(entity)s;
