-- Rules of the ledger's tables. Each query selects one text column: what breaks the rule. Unqualified names: the
-- search path names the schema. Written without a look at the code that fills the tables.

-- name: one-current
-- rule: more than one active claim in a cell
-- advice: refold
SELECT min(concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope))
FROM claims AS c
WHERE c.status = 'active'
GROUP BY c.slot, c.cell
HAVING count(*) > 1;

-- name: cells
-- rule: a claim's cell does not fit its slot's number of values
-- advice: refold
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
JOIN slots AS s ON s.slot = c.slot
WHERE (s.cardinality = 'one') <> (c.cell_key = '');

-- name: places
-- rule: a claim is filed under another tenant, entity or predicate than its slot
-- advice: report
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
LEFT JOIN slots AS s ON s.slot = c.slot
WHERE s.slot IS NULL OR (s.tenant, s.entity, s.predicate, s.scope) <> (c.tenant, c.entity, c.predicate, c.scope);

-- name: tenants
-- rule: evidence, a support or a decision belongs to another tenant than its slot
-- advice: report
SELECT 'slot ' || s.slot || ' of tenant ' || s.tenant || ', row of ' || e.tenant
FROM (SELECT slot, tenant, entity FROM slots UNION SELECT slot, tenant, entity FROM unheld_slots) AS s
JOIN (SELECT slot, tenant FROM evidence UNION SELECT slot, tenant FROM supports UNION SELECT slot, tenant
    FROM decisions UNION SELECT slot, tenant FROM disputes) AS e ON e.slot = s.slot
WHERE e.tenant <> s.tenant;

-- name: supported
-- rule: an active claim that nobody supports
-- advice: refold
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
WHERE c.status = 'active' AND NOT EXISTS (SELECT FROM supports AS p WHERE p.slot = c.slot AND p.claim_id = c.id);

-- name: supports
-- rule: a support of a claim that is not there, or is in another cell
-- advice: refold
SELECT p.tenant || ' agent ' || p.agent || ' claim ' || p.claim_id
FROM supports AS p
LEFT JOIN claims AS c ON c.id = p.claim_id
WHERE c.id IS NULL OR (c.slot, c.cell) <> (p.slot, p.cell);

-- name: evidence
-- rule: a claim without the evidence or the decision that made it
-- advice: report
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
WHERE NOT EXISTS (SELECT FROM decisions AS d WHERE d.id = c.created_by) OR NOT EXISTS (SELECT FROM evidence AS e
    WHERE e.slot = c.slot AND e.id = c.created_by);

-- name: fold
-- rule: a claim's status is not the last one that a decision gave it
-- advice: refold
WITH said AS (SELECT DISTINCT ON (claim) claim, status
    FROM (SELECT (x.pair ->> 0)::uuid AS claim, x.pair ->> 1 AS status, d.number, x.place
    FROM decisions AS d, jsonb_array_elements(d.changed) WITH ORDINALITY AS x (pair, place)) AS all_of
    ORDER BY claim, number DESC, place DESC)
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id, 'is', c.status || ', decided',
    coalesce(said.status, 'never'))
FROM claims AS c
LEFT JOIN said ON said.claim = c.id
WHERE said.status IS DISTINCT FROM c.status;

-- name: chains
-- rule: a claim is superseded by one that is not there, or by itself
-- advice: refold
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
LEFT JOIN claims AS n ON n.id = c.superseded_by
WHERE c.superseded_by IS NOT NULL AND (n.id IS NULL OR n.id = c.id OR n.tenant <> c.tenant);

-- name: disputes
-- rule: an open dispute without a disputed challenger or without an active incumbent
-- advice: refold
SELECT d.tenant || ' dispute ' || d.id
FROM disputes AS d
LEFT JOIN claims AS c ON c.id = d.challenger
WHERE d.status = 'open' AND (c.status IS DISTINCT FROM 'disputed' OR NOT EXISTS (SELECT
    FROM jsonb_array_elements_text(d.incumbents) AS i (id) JOIN claims AS a ON a.id = i.id::uuid
    WHERE a.status = 'active'));

-- name: disputed
-- rule: a disputed claim without an open dispute, or with two
-- advice: refold
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
LEFT JOIN disputes AS d ON d.challenger = c.id AND d.status = 'open'
WHERE c.status = 'disputed'
GROUP BY c.id
HAVING count(d.id) <> 1;

-- name: deleted
-- rule: an active claim rests only on evidence that a retraction covers
-- advice: retract it again, and report it
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
JOIN retractions AS r ON r.slot = c.slot AND r.value_key IN ('', c.value_key) AND NOT r.undone
WHERE c.status = 'active' AND NOT EXISTS (SELECT FROM supports AS p
    WHERE p.slot = c.slot AND p.claim_id = c.id AND p.event_time > r.up_to);

-- name: numbers
-- rule: the decisions of an entity are not numbered 1 to n
-- advice: report
SELECT concat_ws(' ', coalesce(e.tenant, s.tenant), coalesce(e.entity, s.entity) || ':', count(d.id), 'decisions, last',
    coalesce(max(d.number), 0) || ', entity says', coalesce(max(e.decisions), 0))
FROM (SELECT slot, tenant, entity FROM slots UNION SELECT slot, tenant, entity FROM unheld_slots) AS s
JOIN decisions AS d ON d.slot = s.slot
FULL JOIN entities AS e ON e.tenant = s.tenant AND e.entity = s.entity
GROUP BY e.tenant, e.entity, s.tenant, s.entity
HAVING count(d.id) <> coalesce(max(d.number), 0) OR count(DISTINCT d.number) <> count(d.id)
    OR coalesce(max(e.decisions), 0) <> count(d.id);

-- name: versions
-- rule: the claim events of an entity in the outbox do not carry the versions 1 to n
-- advice: report
SELECT e.tenant || ' ' || e.entity || ': ' || count(o.v) || ' events, entity says ' || e.version
FROM entities AS e
LEFT JOIN (SELECT b.tenant, b.entity, b.entity_version AS v
    FROM outbox, json_to_record(convert_from(value, 'UTF8')::json) AS b (tenant text, entity text,
    entity_version bigint) WHERE target LIKE '%.claims.v1') AS o ON o.tenant = e.tenant AND o.entity = e.entity
GROUP BY e.tenant, e.entity, e.version
HAVING count(o.v) <> e.version OR count(DISTINCT o.v) <> e.version OR coalesce(max(o.v), 0) <> e.version;

-- name: slot-versions
-- rule: a claim was changed at a later version of its slot than the slot has
-- advice: report
SELECT concat_ws(' ', c.tenant, c.entity, c.predicate, c.scope, 'claim', c.id)
FROM claims AS c
JOIN slots AS s ON s.slot = c.slot
WHERE c.slot_version > s.version;

-- name: resolved
-- rule: a resolved fact without a decision
-- advice: wait
SELECT r.tenant || ' ' || r.entity || ' record ' || r.fact_id
FROM resolutions AS r
LEFT JOIN decisions AS d ON d.id = r.fact_id
WHERE d.id IS NULL AND NOT EXISTS (SELECT FROM dead_letters AS l WHERE l.event = r.fact_id);

-- name: facts
-- rule: an extracted event whose facts are neither resolved nor dead letters
-- advice: wait
WITH told AS (SELECT tenant, b ->> 'source' AS source, b ->> 'event_id' AS event_id,
    count(DISTINCT b ->> 'ordinal') AS n FROM (SELECT tenant, convert_from(body, 'UTF8')::json AS b
    FROM resolutions) AS x GROUP BY 1, 2, 3)
SELECT concat_ws(' ', e.tenant, e.source, e.event_id || ':', e.n_facts, 'facts,', coalesce(told.n, 0), 'resolved')
FROM extractions AS e
LEFT JOIN told USING (tenant, source, event_id)
WHERE e.n_facts > coalesce(told.n, 0) AND e.n_facts - coalesce(told.n, 0) > (SELECT count(*) FROM dead_letters AS l
    WHERE l.stage = 'resolve' AND l.tenant IN (e.tenant, ''));

-- name: published
-- rule: records are committed and not published
-- advice: start a worker of the stage: it publishes what is left before anything else
SELECT stage || ' ' || topic || '/' || partition || ': published up to ' || published_offset || ' of ' || next_offset
FROM progress
WHERE published_offset < next_offset;

-- name: pending
-- rule: a claim waits for the judge and is no candidate
-- advice: refold
SELECT p.tenant || ' claim ' || p.claim_id
FROM pending AS p
LEFT JOIN claims AS c ON c.id = p.claim_id
WHERE c.status IS DISTINCT FROM 'candidate';

-- name: dead
-- rule: a stage's dead letters are not as many as it counted and put into the outbox
-- advice: report
SELECT stage || ': ' || sum(d) || ' dead letters, ' || sum(c) || ' counted, ' || sum(o) || ' in the outbox'
FROM (SELECT stage, count(*) AS d, 0 AS c, 0 AS o FROM dead_letters GROUP BY stage
    UNION ALL SELECT stage, 0, sum(n), 0 FROM counters WHERE name = 'dead_lettered' GROUP BY stage
    UNION ALL SELECT stage, 0, 0, count(*) FROM outbox WHERE target LIKE '%.deadletters.v1' GROUP BY stage) AS x
GROUP BY stage
HAVING sum(d) <> sum(c) OR sum(d) <> sum(o);

-- name: counted
-- rule: the rows of a table are not as many as the stages counted in the transactions that wrote them
-- advice: report
SELECT what || ': ' || sum(found) || ' rows, ' || sum(told) || ' counted'
FROM (SELECT 'decisions' AS what, count(*) AS found, 0 AS told FROM decisions
    UNION ALL SELECT 'decisions', 0, sum(n) FROM counters WHERE name = 'decided'
    UNION ALL SELECT 'extractions', count(*), 0 FROM extractions
    UNION ALL SELECT 'extractions', 0, sum(n) FROM counters WHERE name = 'extracted'
    UNION ALL SELECT 'control versions', count(*), 0 FROM control_versions
    UNION ALL SELECT 'control versions', 0, sum(n) FROM counters WHERE name = 'versions'
    UNION ALL SELECT 'outbox for ' || target, count(*), 0 FROM outbox
        WHERE target NOT LIKE '%.deadletters.v1' GROUP BY target
    UNION ALL SELECT 'outbox for ' || detail, 0, sum(n) FROM counters WHERE name = 'emitted' GROUP BY detail) AS x
GROUP BY what
HAVING coalesce(sum(found), 0) <> coalesce(sum(told), 0);
