-- name: load_decided
-- Which inbox records have a decision.
SELECT d.id FROM unnest(%(ids)s) AS want (id) JOIN decisions AS d ON d.id = want.id;

-- name: load_entities
-- n is the position in the arrays.
SELECT want.n, e.version, e.decisions, e.policy, e.authority, e.registry, e.moved_to, e.rates
FROM unnest(%(tenants)s, %(entities)s) WITH ORDINALITY AS want (tenant, entity, n)
JOIN entities AS e ON e.tenant = want.tenant AND e.entity = want.entity;

-- name: load_slots
-- n is the position in the array.
SELECT want.n, s.cardinality, s.version, s.records, s.latest_at, s.latest_source, s.latest_event, s.latest_ordinal,
    s.tangled
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
    d.opened_by, d.version, d.repeats, d.parties_since
FROM unnest(%(slots)s, %(cells)s) WITH ORDINALITY AS want (slot, cell, n)
JOIN disputes AS d ON d.slot = want.slot AND d.cell = want.cell AND d.status = 'open';

-- name: load_standings
-- Every ruling on the slots.
SELECT want.n, s.value_key, s.polarity, s.ruling, s.scope, s.agents, s.origins, s.weight, s.actor, s.event_time,
    s.source, s.event_id, s.ordinal, s.record_id
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN standings AS s ON s.slot = want.slot;

-- name: load_retractions
-- Everything that was taken back of the slots, also what was restored.
SELECT want.n, r.id, r.value_key, r.up_to, r.actor, r.reason, r.undone
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN retractions AS r ON r.slot = want.slot;

-- name: load_pending
-- The claims of the slots that wait for a judge.
SELECT want.n, p.claim_id, p.asked, p.round
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN pending AS p ON p.slot = want.slot;

-- name: load_whole_claims
-- All claims of the slots, without vectors.
SELECT want.n, c.cell_key,
    c.id, c.value_type, c.value_text, c.value_key, c.value_within, c.polarity, c.kind, c.basis, c.status,
    c.reason, c.text, c.embedding_model, c.confidence, c.valid_from, c.valid_to, c.last_confirmed, c.event_time,
    c.source, c.event_id, c.ordinal, c.slot_version, c.created_by, c.decided_by, c.superseded_by, c.weak
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN claims AS c ON c.slot = want.slot;

-- name: load_stories
-- The records of the slots in the order in which they were decided, and the claims that they are evidence of.
SELECT want.n, d.number, e.body, e.id, d.policy, d.authority, d.registry, e.claim_id, e.source, e.event_id
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n)
JOIN evidence AS e ON e.slot = want.slot JOIN decisions AS d ON d.id = e.id
ORDER BY want.n, d.number;

-- name: load_derivations
-- The claims that rest on the origins.
SELECT want.n, d.claim_id
FROM unnest(%(ids)s) WITH ORDINALITY AS want (id, n) JOIN derivations AS d ON d.origin = want.id;
