-- name: entity_keys
-- Of one tenant or all, a page at a time.
SELECT tenant, entity, version, decisions, policy, authority, registry, moved_to, rates FROM entities
WHERE (%(only)s::text IS NULL OR tenant = %(only)s) AND (tenant, entity) > (%(tenant)s, %(entity)s)
ORDER BY tenant, entity LIMIT %(n)s;

-- name: slots_of
-- Of the entities; n is the position in the arrays. Those that hold nothing come with cardinality NULL.
SELECT want.n, s.slot, s.predicate, s.scope, s.cardinality, s.version, s.records, s.latest_at, s.latest_source,
    s.latest_event, s.latest_ordinal, s.tangled
FROM unnest(%(tenants)s, %(entities)s) WITH ORDINALITY AS want (tenant, entity, n)
JOIN slots AS s ON s.tenant = want.tenant AND s.entity = want.entity
UNION ALL
SELECT want.n, u.slot, u.predicate, u.scope, NULL, 0, 0, NULL, '', '', 0, false
FROM unnest(%(tenants)s, %(entities)s) WITH ORDINALITY AS want (tenant, entity, n)
JOIN unheld_slots AS u ON u.tenant = want.tenant AND u.entity = want.entity
WHERE NOT EXISTS (SELECT FROM slots AS s WHERE s.slot = u.slot)
ORDER BY 1, 3, 4;

-- name: claims_of
-- All claims of the slots, with their vectors.
SELECT want.n, c.cell_key,
    c.id, c.value_type, c.value_text, c.value_key, c.value_within, c.polarity, c.kind, c.basis, c.status,
    c.reason, c.text, c.embedding_model, c.confidence, c.valid_from, c.valid_to, c.last_confirmed, c.event_time,
    c.source, c.event_id, c.ordinal, c.slot_version, c.created_by, c.decided_by, c.superseded_by, c.weak, c.vector
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN claims AS c ON c.slot = want.slot
ORDER BY want.n, c.event_time, c.source, c.event_id, c.ordinal, c.id;

-- name: supports_of
-- All supports of the slots.
SELECT want.n, s.cell_key, s.agent, s.claim_id, s.event_time, s.source, s.event_id, s.ordinal, s.confidence, s.origins
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN supports AS s ON s.slot = want.slot;

-- name: endings_of
-- All endings of the slots.
SELECT want.n, e.value_key, e.agent, e.event_time, e.source, e.event_id, e.ordinal, e.ended_at, e.record_id
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN endings AS e ON e.slot = want.slot;

-- name: disputes_of
-- All disputes of the slots, oldest first.
SELECT want.n, d.cell_key, d.id, d.challenger, d.incumbents, d.status, d.strategy, d.reason, d.policy_version,
    d.opened_at, d.opened_by, d.version, d.repeats, d.parties_since
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN disputes AS d ON d.slot = want.slot
ORDER BY want.n, d.opened_at, d.id;

-- name: evidence_of
-- All evidence of the slots, in its order.
SELECT want.n, e.id, e.claim_id, e.agent, e.event_time, e.source, e.event_id, e.ordinal, e.origins, e.confidence,
    e.basis, e.polarity, e.ended, e.value_key, e.mention, e.label, e.match, e.text, e.quote, e.received_at
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN evidence AS e ON e.slot = want.slot
ORDER BY want.n, e.event_time, e.source, e.event_id, e.ordinal;

-- name: decisions_of
-- All decisions on the slots, in the order in which they were taken.
SELECT want.n, d.id, d.number, d.case_, d.outcome, d.rule, d.claim_id, d.changed, d.slot_version, d.strategy,
    d.policy, d.authority, d.registry, d.agent, d.event_time, d.source, d.event_id, d.ordinal, d.detail
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n) JOIN decisions AS d ON d.slot = want.slot
ORDER BY want.n, d.number;

-- name: decisions_beside
-- Decisions about records that concern the slots, kept with another slot: a command has one decision, whatever it reaches.
SELECT want.n, d.id, d.number, d.case_, d.outcome, d.rule, d.claim_id, d.changed, d.slot_version, d.strategy,
    d.policy, d.authority, d.registry, d.agent, d.event_time, d.source, d.event_id, d.ordinal, d.detail
FROM unnest(%(slots)s) WITH ORDINALITY AS want (slot, n)
JOIN evidence AS e ON e.slot = want.slot JOIN decisions AS d ON d.id = e.id AND d.slot <> want.slot;

-- name: entity_one
-- One entity.
SELECT tenant, entity, version, decisions, policy, authority, registry, moved_to, rates FROM entities
WHERE tenant = %(tenant)s AND entity = %(entity)s;

-- name: disputes_list
-- Of a tenant, newest first; a status, or NULL for all.
SELECT d.tenant, d.entity, d.predicate, d.scope, d.cell_key, d.id, d.challenger, d.incumbents, d.status, d.strategy,
    d.reason, d.policy_version, d.opened_at, d.opened_by, d.version, d.repeats, d.parties_since
FROM disputes AS d
WHERE d.tenant = %(tenant)s AND (%(status)s::text IS NULL OR d.status = %(status)s)
ORDER BY d.opened_at DESC, d.id LIMIT %(n)s;

-- name: disputes_named
-- Of a tenant, by the beginning of the id.
SELECT d.tenant, d.entity, d.predicate, d.scope, d.cell_key, d.id, d.challenger, d.incumbents, d.status, d.strategy,
    d.reason, d.policy_version, d.opened_at, d.opened_by, d.version, d.repeats, d.parties_since
FROM disputes AS d
WHERE d.tenant = %(tenant)s AND starts_with(d.id::text, %(beginning)s) ORDER BY d.id LIMIT 10;

-- name: claims_by_id
-- Of a tenant.
SELECT c.tenant, c.entity, c.predicate, c.scope, c.cell_key,
    c.id, c.value_type, c.value_text, c.value_key, c.value_within, c.polarity, c.kind, c.basis, c.status,
    c.reason, c.text, c.embedding_model, c.confidence, c.valid_from, c.valid_to, c.last_confirmed, c.event_time,
    c.source, c.event_id, c.ordinal, c.slot_version, c.created_by, c.decided_by, c.superseded_by, c.weak
FROM unnest(%(ids)s) AS want (id) JOIN claims AS c ON c.id = want.id AND c.tenant = %(tenant)s;

-- name: entities_list
-- Of a tenant, by name, a page at a time.
SELECT entity, version, decisions FROM entities
WHERE tenant = %(tenant)s AND entity > %(after)s ORDER BY entity LIMIT %(n)s;

-- name: event_extraction
-- What extract made of an event.
SELECT outcome, record FROM extractions WHERE id = %(id)s AND tenant = %(tenant)s;

-- name: facts_resolved
-- Which facts have a proposal, and of which entity.
SELECT r.fact_id, r.entity FROM unnest(%(ids)s) AS want (id)
JOIN resolutions AS r ON r.fact_id = want.id AND r.tenant = %(tenant)s;

-- name: facts_decided
-- What was decided about facts.
SELECT d.id, d.case_, d.outcome, d.claim_id FROM unnest(%(ids)s) AS want (id)
JOIN decisions AS d ON d.id = want.id AND d.tenant = %(tenant)s;

-- name: event_dead_letters
-- Where an event or one of its facts was given up.
SELECT d.stage, d.topic, d.partition, d.source_offset, d.item, d.error_class, d.attempts
FROM unnest(%(ids)s) AS want (id) JOIN dead_letters AS d ON d.event = want.id AND d.tenant = %(tenant)s
ORDER BY d.stage, d.topic, d.partition, d.source_offset, d.item;

-- name: counters
-- Summed over the partitions.
SELECT stage, topic, name, detail, sum(n)::bigint FROM counters GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;

-- name: table_counts
-- What the equations count, whatever the counters say.
SELECT 'extractions', count(*) FROM extractions UNION ALL
SELECT 'facts', coalesce(sum(n_facts), 0)::bigint FROM extractions UNION ALL
SELECT 'resolutions', count(*) FROM resolutions UNION ALL
SELECT 'decisions', count(*) FROM decisions UNION ALL
SELECT 'evidence', count(*) FROM evidence UNION ALL
SELECT 'claims', count(*) FROM claims UNION ALL
SELECT 'active_claims', count(*) FROM claims WHERE status = 'active' UNION ALL
SELECT 'disputes', count(*) FROM disputes UNION ALL
SELECT 'open_disputes', count(*) FROM disputes WHERE status = 'open' UNION ALL
SELECT 'entities', count(*) FROM entities UNION ALL
SELECT 'reviews', count(*) FROM reviews UNION ALL
SELECT 'outbox', count(*) FROM outbox UNION ALL
SELECT 'dead_letters', count(*) FROM dead_letters;

-- name: progress_rows
-- How far every stage is.
SELECT stage, topic, partition, next_offset, published_offset FROM progress ORDER BY stage, topic, partition;

-- name: control_versions_of
-- The versions that events of the control log became.
SELECT c.event, c.version FROM unnest(%(ids)s) AS want (id)
JOIN control_versions AS c ON c.event = want.id AND c.tenant = %(tenant)s;

-- name: decided_one
-- What came of one inbox record.
SELECT outcome, rule, detail FROM decisions WHERE id = %(id)s AND tenant = %(tenant)s;

-- name: processed_extract
SELECT e.id FROM unnest(%(ids)s) AS want (id) JOIN extractions AS e ON e.id = want.id;

-- name: processed_resolve
SELECT r.fact_id FROM unnest(%(ids)s) AS want (id) JOIN resolutions AS r ON r.fact_id = want.id;

-- name: processed_adjudicate
SELECT d.id FROM unnest(%(ids)s) AS want (id) JOIN decisions AS d ON d.id = want.id;

-- name: processed_control
SELECT c.event FROM unnest(%(ids)s) AS want (id) JOIN control_versions AS c ON c.event = want.id;
