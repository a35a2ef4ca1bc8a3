-- name: load_decided
-- Which inbox records have a decision.
SELECT d.id FROM unnest(%(ids)s) AS want (id) JOIN decisions AS d ON d.id = want.id;

-- name: load_entities
-- n is the position in the arrays.
SELECT want.n, e.version, e.decisions, e.policy, e.authority, e.registry
FROM unnest(%(tenants)s, %(entities)s) WITH ORDINALITY AS want (tenant, entity, n)
JOIN entities AS e ON e.tenant = want.tenant AND e.entity = want.entity;

-- name: load_slots
-- n is the position in the array.
SELECT want.n, s.cardinality, s.version
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN slots AS s ON s.slot = want.slot;

-- name: load_claims
-- The claims of the cells that a fact of the cell's moment or later may meet.
SELECT want.n, c.id, c.value_type, c.value_text, c.value_key, c.value_within, c.polarity, c.kind, c.basis, c.status,
    c.reason, c.text, c.embedding_model, c.confidence, c.valid_from, c.valid_to, c.last_confirmed, c.event_time,
    c.source, c.event_id, c.ordinal, c.slot_version, c.created_by, c.decided_by, c.superseded_by, c.weak
FROM unnest(%(slots)s, %(cells)s, %(moments)s) WITH ORDINALITY AS want (slot, cell, moment, n)
JOIN claims AS c ON c.slot = want.slot AND c.cell = want.cell AND c.reach >= want.moment;

-- name: load_named_claims
-- Claims that open disputes name and that did not come with their cell.
SELECT c.tenant, c.entity, c.predicate, c.scope, c.cell_key,
    c.id, c.value_type, c.value_text, c.value_key, c.value_within, c.polarity, c.kind, c.basis, c.status,
    c.reason, c.text, c.embedding_model, c.confidence, c.valid_from, c.valid_to, c.last_confirmed, c.event_time,
    c.source, c.event_id, c.ordinal, c.slot_version, c.created_by, c.decided_by, c.superseded_by, c.weak
FROM unnest(%(ids)s) AS want (id) JOIN claims AS c ON c.id = want.id;

-- name: load_supports
-- Every agent's latest assertion in the cells.
SELECT want.n, s.agent, s.claim_id, s.event_time, s.source, s.event_id, s.ordinal, s.confidence, s.origins
FROM unnest(%(slots)s, %(cells)s) WITH ORDINALITY AS want (slot, cell, n)
JOIN supports AS s ON s.slot = want.slot AND s.cell = want.cell;

-- name: load_endings
-- The latest "no longer" on the values.
SELECT want.n, e.value_key, e.agent, e.event_time, e.source, e.event_id, e.ordinal, e.ended_at, e.record_id
FROM unnest(%(slots)s, %(cells)s) WITH ORDINALITY AS want (slot, cell, n)
JOIN endings AS e ON e.slot = want.slot AND e.cell = want.cell;

-- name: load_disputes
-- The open disputes of the cells.
SELECT want.n, d.id, d.challenger, d.incumbents, d.status, d.strategy, d.reason, d.policy_version, d.opened_at,
    d.opened_by, d.version, d.repeats
FROM unnest(%(slots)s, %(cells)s) WITH ORDINALITY AS want (slot, cell, n)
JOIN disputes AS d ON d.slot = want.slot AND d.cell = want.cell AND d.status = 'open';
