-- name: copy_claims
-- New claims.
COPY claims (id, slot, cell, tenant, entity, predicate, scope, cell_key, value_type, value_text, value_key,
    value_within, polarity, kind, basis, status, reason, text, embedding_model, confidence, valid_from, valid_to,
    reach, last_confirmed, event_time, source, event_id, ordinal, slot_version, created_by, decided_by,
    superseded_by, weak, vector)
FROM STDIN (FORMAT BINARY);

-- name: copy_supports
-- New supports.
COPY supports (slot, cell, agent, tenant, cell_key, claim_id, event_time, source, event_id, ordinal, confidence,
    origins)
FROM STDIN (FORMAT BINARY);

-- name: copy_endings
-- New endings.
COPY endings (slot, cell, tenant, value_key, agent, event_time, source, event_id, ordinal, ended_at, record_id)
FROM STDIN (FORMAT BINARY);

-- name: copy_disputes
-- New disputes.
COPY disputes (id, slot, cell, tenant, entity, predicate, scope, cell_key, challenger, incumbents, status, strategy,
    reason, policy_version, opened_at, opened_by, version, repeats, parties_since)
FROM STDIN (FORMAT BINARY);

-- name: copy_slots
-- New slots.
COPY slots (slot, tenant, entity, predicate, scope, cardinality, version, records, latest_at, latest_source,
    latest_event, latest_ordinal, tangled)
FROM STDIN (FORMAT BINARY);

-- name: copy_entities
-- New entities.
COPY entities (tenant, entity, version, decisions, policy, authority, registry, moved_to, rates) FROM STDIN (FORMAT BINARY);

-- name: copy_evidence
-- Evidence is only added.
COPY evidence (slot, id, tenant, claim_id, agent, event_time, source, event_id, ordinal, origins, confidence, basis,
    polarity, ended, value_key, mention, label, match, text, quote, received_at, body)
FROM STDIN (FORMAT BINARY);

-- name: copy_decisions
-- Decisions are only added; a second one of the same record is refused by the primary key.
COPY decisions (id, slot, tenant, number, case_, outcome, rule, claim_id, changed, slot_version, strategy, policy,
    authority, registry, agent, event_time, source, event_id, ordinal, detail)
FROM STDIN (FORMAT BINARY);

-- name: copy_reviews
-- What a person should look at.
COPY reviews (id, tenant, entity, reason, at, body) FROM STDIN (FORMAT BINARY);

-- name: update_claims
-- Changed claims, a column an array. An empty vector leaves the stored one.
UPDATE claims AS c SET cell = n.cell, cell_key = n.cell_key, value_type = n.value_type, value_text = n.value_text, value_key = n.value_key,
    value_within = n.value_within, basis = n.basis, status = n.status, reason = n.reason, text = n.text,
    embedding_model = n.embedding_model, confidence = n.confidence, valid_from = n.valid_from, valid_to = n.valid_to,
    reach = n.reach, last_confirmed = n.last_confirmed, event_time = n.event_time, source = n.source,
    event_id = n.event_id, ordinal = n.ordinal, slot_version = n.slot_version, decided_by = n.decided_by,
    superseded_by = n.superseded_by, weak = n.weak, vector = CASE n.vector WHEN '' THEN c.vector ELSE n.vector END
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (id, cell, cell_key, value_type, value_text, value_key, value_within, basis, status, reason, text,
        embedding_model, confidence, valid_from, valid_to, reach, last_confirmed, event_time, source, event_id,
        ordinal, slot_version, decided_by, superseded_by, weak, vector)
WHERE c.id = n.id;

-- name: update_supports
-- An agent's later assertion in a cell.
UPDATE supports AS s SET claim_id = n.claim_id, event_time = n.event_time, source = n.source, event_id = n.event_id,
    ordinal = n.ordinal, confidence = n.confidence, origins = n.origins
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (slot, cell, agent, tenant, cell_key, claim_id, event_time, source, event_id, ordinal, confidence, origins)
WHERE s.slot = n.slot AND s.cell = n.cell AND s.agent = n.agent;

-- name: update_endings
-- A later "no longer" on the same value.
UPDATE endings AS e SET agent = n.agent, event_time = n.event_time, source = n.source, event_id = n.event_id,
    ordinal = n.ordinal, ended_at = n.ended_at, record_id = n.record_id
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (slot, cell, tenant, value_key, agent, event_time, source, event_id, ordinal, ended_at, record_id)
WHERE e.slot = n.slot AND e.cell = n.cell;

-- name: update_disputes
-- The next step of a dispute.
UPDATE disputes AS d SET cell = n.cell, cell_key = n.cell_key, challenger = n.challenger, incumbents = n.incumbents, status = n.status, strategy = n.strategy, reason = n.reason,
    policy_version = n.policy_version, version = n.version, repeats = n.repeats, parties_since = n.parties_since
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (id, cell, cell_key, challenger, incumbents, status, strategy, reason, policy_version, version, repeats, parties_since)
WHERE d.id = n.id;

-- name: update_slots
-- Their next version.
UPDATE slots AS s SET cardinality = n.cardinality, version = n.version, records = n.records, latest_at = n.latest_at,
    latest_source = n.latest_source, latest_event = n.latest_event, latest_ordinal = n.latest_ordinal,
    tangled = n.tangled
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (slot, tenant, entity, predicate, scope, cardinality, version, records, latest_at, latest_source,
        latest_event, latest_ordinal, tangled)
WHERE s.slot = n.slot;

-- name: update_entities
-- Their next version.
UPDATE entities AS e SET version = n.version, decisions = n.decisions, policy = n.policy, authority = n.authority,
    registry = n.registry, moved_to = n.moved_to, rates = n.rates
FROM unnest(%s, %s, %s, %s, %s, %s, %s, %s, %s)
    AS n (tenant, entity, version, decisions, policy, authority, registry, moved_to, rates)
WHERE e.tenant = n.tenant AND e.entity = n.entity;
