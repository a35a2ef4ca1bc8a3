-- The ledger. Unqualified names: the connection's search_path names the schema.
--
-- Keys made of names are hashed where they are indexed: a value may be 4,096 characters long and a key of four
-- names 4 KB, more than a btree entry takes (2,704 bytes). slot and cell are the first 16 bytes of SHA-256
-- (sinks/keys.py); the names stand beside them for people.

-- How far each stage is in each partition. The row is locked for the length of a batch: that is the fence.
CREATE TABLE progress (
    stage text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partition integer NOT NULL,
    next_offset bigint NOT NULL DEFAULT 0,
    last_offset bigint,
    last_hash bytea,
    published_offset bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stage, topic, partition)
) WITH (fillfactor = 50);

-- Which log a stage follows: a topic with another number of partitions, or of another cluster, is refused.
CREATE TABLE logs (
    stage text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    cluster_id text NOT NULL,
    partitions integer NOT NULL,
    PRIMARY KEY (stage, topic)
);

-- Records to be published, in the order of the partition that brought them about. Kept after publication:
-- the audit compares topics with it.
CREATE TABLE outbox (
    stage text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partition integer NOT NULL,
    source_offset bigint NOT NULL,
    ordinal integer NOT NULL,
    target text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    value bytea NOT NULL,
    -- [[name, value as latin-1], ...]
    headers json NOT NULL,
    PRIMARY KEY (stage, topic, partition, source_offset, ordinal)
);

-- Counted in the transaction that has the effect, so that the numbers add up after any crash.
CREATE TABLE counters (
    stage text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partition integer NOT NULL,
    name text COLLATE "C" NOT NULL,
    detail text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (stage, topic, partition, name, detail)
) WITH (fillfactor = 50);

-- Where dead letters came from. Their bytes are on the dead-letter topic only.
CREATE TABLE dead_letters (
    stage text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    partition integer NOT NULL,
    source_offset bigint NOT NULL,
    item integer NOT NULL,
    error_class text COLLATE "C" NOT NULL,
    attempts integer NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    event uuid,
    PRIMARY KEY (stage, topic, partition, source_offset, item)
);
CREATE INDEX dead_letters_event ON dead_letters (event) WHERE event IS NOT NULL;

-- The first extraction of an event wins.
CREATE TABLE extractions (
    id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    body_hash bytea NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    n_facts integer NOT NULL,
    record bytea NOT NULL
);

-- The first resolution of a fact wins; its body is what was published.
CREATE TABLE resolutions (
    fact_id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);

-- Policies, authority and registry entries as they were set, numbered.
CREATE TABLE control_versions (
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    event uuid NOT NULL UNIQUE,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, kind, version)
);

CREATE TABLE entities (
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    decisions bigint NOT NULL,
    policy integer NOT NULL,
    authority integer NOT NULL,
    registry integer NOT NULL,
    -- The entity that it was merged into; empty while it stands for itself.
    moved_to text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, entity)
) WITH (fillfactor = 80);

CREATE TABLE slots (
    slot uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    cardinality text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    records bigint NOT NULL,
    -- The latest of its records in the order of evidence; latest_at is NULL when it has none.
    latest_at timestamptz,
    latest_source text COLLATE "C" NOT NULL,
    latest_event text COLLATE "C" NOT NULL,
    latest_ordinal integer NOT NULL,
    tangled boolean NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX slots_entity ON slots (tenant, entity);

-- Slots that records were about although nothing was ever said of them: a command on something unknown, or "*", all
-- slots of an entity. They say under which names decisions, evidence and retractions of these slots are found.
CREATE TABLE unheld_slots (
    slot uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL
);
CREATE INDEX unheld_slots_entity ON unheld_slots (tenant, entity);

CREATE TABLE claims (
    id uuid PRIMARY KEY,
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    cell_key text COLLATE "C" NOT NULL,
    value_type text COLLATE "C" NOT NULL,
    value_text text NOT NULL,
    value_key text COLLATE "C" NOT NULL,
    value_within jsonb NOT NULL,
    polarity text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    basis text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    text text NOT NULL,
    embedding_model text COLLATE "C" NOT NULL,
    confidence double precision NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    -- How late a fact may still meet this claim (Claim.reach); the year 9999 while it is live.
    reach timestamptz NOT NULL,
    last_confirmed timestamptz NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    slot_version bigint NOT NULL,
    created_by uuid NOT NULL,
    decided_by uuid NOT NULL,
    superseded_by uuid,
    weak boolean NOT NULL,
    -- int8, one byte per dimension; written once.
    vector bytea NOT NULL
) WITH (fillfactor = 80);
-- A cell with 10,000 closed claims must not slow down what is said today: reach ends the scan.
CREATE INDEX claims_cell ON claims (slot, cell, reach);

CREATE TABLE supports (
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    agent text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    cell_key text COLLATE "C" NOT NULL,
    claim_id uuid NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    confidence double precision NOT NULL,
    origins jsonb NOT NULL,
    PRIMARY KEY (slot, cell, agent)
) WITH (fillfactor = 80);

CREATE TABLE endings (
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    value_key text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    ended_at timestamptz NOT NULL,
    record_id uuid NOT NULL,
    PRIMARY KEY (slot, cell)
);

CREATE TABLE disputes (
    id uuid PRIMARY KEY,
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    cell_key text COLLATE "C" NOT NULL,
    challenger uuid NOT NULL,
    incumbents jsonb NOT NULL,
    status text COLLATE "C" NOT NULL,
    strategy text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    policy_version integer NOT NULL,
    opened_at timestamptz NOT NULL,
    opened_by uuid NOT NULL,
    version integer NOT NULL,
    repeats integer NOT NULL,
    parties_since bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX disputes_open ON disputes (slot, cell) WHERE status = 'open';
CREATE INDEX disputes_slot ON disputes (slot);
CREATE INDEX disputes_tenant ON disputes (tenant, opened_at, id);

CREATE TABLE evidence (
    slot uuid NOT NULL,
    id uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    claim_id uuid,
    agent text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    origins jsonb NOT NULL,
    confidence double precision NOT NULL,
    basis text COLLATE "C" NOT NULL,
    polarity text COLLATE "C" NOT NULL,
    ended boolean NOT NULL,
    value_key text COLLATE "C" NOT NULL,
    mention text NOT NULL,
    label text NOT NULL,
    match text COLLATE "C" NOT NULL,
    text text NOT NULL,
    quote text NOT NULL,
    received_at timestamptz NOT NULL,
    -- The inbox record as JSON: a slot is folded again from these.
    body bytea NOT NULL,
    PRIMARY KEY (slot, id)
);

-- Evidence that rests on something else than its own event. origin is the first 16 bytes of SHA-256 of tenant, entity
-- and the origin's name; only what was derived has rows, so a plain statement costs nothing here.
CREATE TABLE derivations (
    origin uuid NOT NULL,
    evidence uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    claim_id uuid NOT NULL,
    PRIMARY KEY (origin, evidence)
);

-- What people ruled on a value of a slot.
CREATE TABLE standings (
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    polarity text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    value_key text COLLATE "C" NOT NULL,
    ruling text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    agents jsonb NOT NULL,
    origins jsonb NOT NULL,
    weight double precision,
    actor text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    record_id uuid NOT NULL,
    PRIMARY KEY (slot, cell, polarity)
);

-- What was taken back; cell is that of the value, or of the slot as a whole.
CREATE TABLE retractions (
    slot uuid NOT NULL,
    cell uuid NOT NULL,
    id uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    value_key text COLLATE "C" NOT NULL,
    up_to timestamptz NOT NULL,
    actor text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    undone boolean NOT NULL,
    PRIMARY KEY (slot, cell, id)
);
CREATE INDEX retractions_id ON retractions (id);

-- Claims that wait for a judge.
CREATE TABLE pending (
    claim_id uuid PRIMARY KEY,
    slot uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    asked jsonb NOT NULL,
    round integer NOT NULL
);
CREATE INDEX pending_slot ON pending (slot);

-- Moments at which the timekeeper puts a record into an inbox; a row goes when its record is in the outbox.
CREATE TABLE dues (
    target uuid NOT NULL,
    what text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (target, what)
);
CREATE INDEX dues_at ON dues (at, target, what);

-- One decision per inbox record: the primary key is what makes a second delivery harmless.
CREATE TABLE decisions (
    id uuid PRIMARY KEY,
    slot uuid NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    case_ text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    rule text COLLATE "C" NOT NULL,
    claim_id uuid,
    changed jsonb NOT NULL,
    slot_version bigint NOT NULL,
    strategy text COLLATE "C" NOT NULL,
    policy integer NOT NULL,
    authority integer NOT NULL,
    registry integer NOT NULL,
    agent text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    -- json, not jsonb: numbers must come back as they were written.
    detail json NOT NULL
);
CREATE INDEX decisions_slot ON decisions (slot, number);

CREATE TABLE reviews (
    id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX reviews_entity ON reviews (tenant, entity);

-- For people: the record of an extraction and of a resolution as JSON.
CREATE VIEW extracted_facts AS
    SELECT id, tenant, source, event_id, outcome, n_facts, convert_from(record, 'UTF8')::json AS record
    FROM extractions;
CREATE VIEW resolved_facts AS
    SELECT fact_id, tenant, entity, convert_from(body, 'UTF8')::json AS body FROM resolutions;
