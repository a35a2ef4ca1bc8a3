-- name: locate_claims
-- The slots of claims. `n` is whose question a row answers, here and below.
SELECT want.n, c.predicate, c.scope FROM unnest(%(ns)s, %(tenants)s, %(entities)s, %(ids)s) AS want (n, tenant, entity, id)
JOIN claims AS c ON c.id = want.id AND c.tenant = want.tenant AND c.entity = want.entity;

-- name: locate_disputes
-- The slots of disputes.
SELECT want.n, d.predicate, d.scope FROM unnest(%(ns)s, %(tenants)s, %(entities)s, %(ids)s) AS want (n, tenant, entity, id)
JOIN disputes AS d ON d.id = want.id AND d.tenant = want.tenant AND d.entity = want.entity;

-- name: locate_records
-- The slots on which records were decided.
SELECT want.n, s.predicate, s.scope FROM unnest(%(ns)s, %(tenants)s, %(entities)s, %(ids)s) AS want (n, tenant, entity, id)
JOIN decisions AS d ON d.id = want.id
JOIN slots AS s ON s.slot = d.slot AND s.tenant = want.tenant AND s.entity = want.entity;

-- name: locate_events
-- The slots that have evidence of the events. It looks through the entity's evidence: taking an event back is rare.
SELECT want.n, s.predicate, s.scope
FROM unnest(%(ns)s, %(tenants)s, %(entities)s, %(sources)s, %(events)s) AS want (n, tenant, entity, source, event_id)
JOIN slots AS s ON s.tenant = want.tenant AND s.entity = want.entity
WHERE EXISTS (
    SELECT FROM evidence AS e WHERE e.slot = s.slot AND e.source = want.source AND e.event_id = want.event_id
);

-- name: locate_retractions
-- The ids of the slots of retractions.
SELECT want.n, r.slot FROM unnest(%(ns)s, %(tenants)s, %(ids)s) AS want (n, tenant, id)
JOIN retractions AS r ON r.id = want.id AND r.tenant = want.tenant;

-- name: locate_slots
-- Those of the entity among the slots.
SELECT want.n, s.predicate, s.scope
FROM unnest(%(ns)s, %(tenants)s, %(entities)s, %(ids)s) AS want (n, tenant, entity, slot)
JOIN slots AS s ON s.slot = want.slot AND s.tenant = want.tenant AND s.entity = want.entity;

-- name: locate_every
-- All slots of the entity.
SELECT want.n, s.predicate, s.scope FROM unnest(%(ns)s, %(tenants)s, %(entities)s) AS want (n, tenant, entity)
JOIN slots AS s ON s.tenant = want.tenant AND s.entity = want.entity;

-- name: due_before
-- What has come due, oldest first.
SELECT tenant, entity, target, what, at FROM dues WHERE at <= %(moment)s ORDER BY at, target, what LIMIT %(n)s;

-- name: delete_sent_dues
-- Only if it still is the moment that was sent.
DELETE FROM dues AS d USING unnest(%s, %s, %s) AS n (target, what, at)
WHERE d.target = n.target AND d.what = n.what AND d.at = n.at;

-- name: delete_supports
-- Assertions that have no ground any more.
DELETE FROM supports AS s USING unnest(%s, %s, %s) AS n (slot, cell, agent)
WHERE s.slot = n.slot AND s.cell = n.cell AND s.agent = n.agent;

-- name: delete_endings
-- Markers that have no ground any more.
DELETE FROM endings AS e USING unnest(%s, %s) AS n (slot, cell) WHERE e.slot = n.slot AND e.cell = n.cell;

-- name: delete_standings
-- Rulings that were undone.
DELETE FROM standings AS s USING unnest(%s, %s, %s) AS n (slot, cell, polarity)
WHERE s.slot = n.slot AND s.cell = n.cell AND s.polarity = n.polarity;

-- name: delete_pending
-- Claims that wait no longer.
DELETE FROM pending AS p USING unnest(%s) AS n (claim_id) WHERE p.claim_id = n.claim_id;

-- name: delete_dues
-- Moments that do not matter any more.
DELETE FROM dues AS d USING unnest(%s, %s) AS n (target, what) WHERE d.target = n.target AND d.what = n.what;

-- name: put_standings
-- The latest ruling on a value.
INSERT INTO standings (slot, cell, polarity, tenant, value_key, ruling, scope, agents, origins, weight, actor,
    event_time, source, event_id, ordinal, record_id)
SELECT * FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (slot, cell, polarity) DO UPDATE SET ruling = excluded.ruling, scope = excluded.scope,
    agents = excluded.agents, origins = excluded.origins, weight = excluded.weight, actor = excluded.actor,
    event_time = excluded.event_time, source = excluded.source, event_id = excluded.event_id,
    ordinal = excluded.ordinal, record_id = excluded.record_id;

-- name: put_retractions
-- A retraction may be undone.
INSERT INTO retractions (slot, cell, id, tenant, value_key, up_to, actor, reason, undone)
SELECT * FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (slot, cell, id) DO UPDATE SET up_to = excluded.up_to, actor = excluded.actor,
    reason = excluded.reason, undone = excluded.undone;

-- name: put_pending
-- The latest question about a claim.
INSERT INTO pending (claim_id, slot, tenant, asked, round) SELECT * FROM unnest(%s, %s, %s, %s, %s)
ON CONFLICT (claim_id) DO UPDATE SET slot = excluded.slot, asked = excluded.asked, round = excluded.round;

-- name: put_dues
-- The moment of now.
INSERT INTO dues (target, what, tenant, entity, at) SELECT * FROM unnest(%s, %s, %s, %s, %s)
ON CONFLICT (target, what) DO UPDATE SET at = excluded.at;

-- name: put_unheld_slots
-- Once is enough.
INSERT INTO unheld_slots (slot, tenant, entity, predicate, scope) SELECT * FROM unnest(%s, %s, %s, %s, %s)
ON CONFLICT (slot) DO UPDATE SET scope = excluded.scope;

-- name: copy_derivations
-- Only added, like the evidence.
COPY derivations (origin, evidence, tenant, claim_id) FROM STDIN (FORMAT BINARY);
