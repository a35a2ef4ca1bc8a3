-- name: extractions
-- By event.
SELECT x.id, x.tenant, x.source, x.event_id, x.body_hash, x.outcome, x.n_facts, x.record
FROM unnest(%(ids)s) AS want (id) JOIN extractions AS x ON x.id = want.id;

-- name: copy_extractions
-- The caller has looked; a second one of an event is refused by the primary key.
COPY extractions (id, tenant, source, event_id, body_hash, outcome, n_facts, record) FROM STDIN (FORMAT BINARY);

-- name: resolutions
-- By fact.
SELECT r.fact_id, r.tenant, r.entity, r.body
FROM unnest(%(ids)s) AS want (id) JOIN resolutions AS r ON r.fact_id = want.id;

-- name: copy_resolutions
-- The caller has looked; a second one of a fact is refused by the primary key.
COPY resolutions (fact_id, tenant, entity, body) FROM STDIN (FORMAT BINARY);

-- name: copy_dead_letters
-- Origins only.
COPY dead_letters (stage, topic, partition, source_offset, item, error_class, attempts, tenant, event)
FROM STDIN (FORMAT BINARY);

-- name: control_heads
-- The highest version of each kind.
SELECT v.tenant, v.kind, max(v.version) FROM unnest(%(tenants)s) AS want (tenant)
JOIN control_versions AS v ON v.tenant = want.tenant GROUP BY v.tenant, v.kind;

-- name: control_log
-- In order.
SELECT tenant, kind, version, event, body FROM control_versions
WHERE tenant = %(tenant)s AND kind = %(kind)s AND version > %(after)s ORDER BY version;

-- name: add_control
-- The next version, unless the event has one. The control log has one partition, so its lock makes the number safe.
INSERT INTO control_versions (tenant, kind, version, event, body)
SELECT %(tenant)s, %(kind)s, coalesce(max(version), 0) + 1, %(event)s, %(body)s
FROM control_versions WHERE tenant = %(tenant)s AND kind = %(kind)s
ON CONFLICT (event) DO NOTHING RETURNING version;

-- name: slots_held
-- Of a tenant, by the names of predicates or their beginnings; not of entities that were merged into another.
SELECT s.tenant, s.entity, s.predicate, s.scope, s.cardinality FROM slots AS s
JOIN entities AS e ON e.tenant = s.tenant AND e.entity = s.entity AND e.moved_to = ''
WHERE s.tenant = %(tenant)s AND (
    s.predicate = ANY (%(names)s) OR EXISTS (SELECT FROM unnest(%(beginnings)s) AS b (t) WHERE starts_with(s.predicate, b.t))
)
ORDER BY s.entity, s.predicate, s.scope;

-- name: predicates_held
-- Of all tenants.
SELECT tenant, predicate, cardinality, count(*)::bigint FROM slots GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
