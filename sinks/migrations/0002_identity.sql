-- The id map: which names and identifiers belong to which entity, and what was merged. Written by resolve and control.
--
-- Names are up to 512 characters long, so they are filed under the first 16 bytes of a SHA-256 (sinks/keys.py).

CREATE TABLE entity_names (
    -- Of tenant, entity, type and name.
    id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    name text NOT NULL,
    -- claimed: it made the entity; seen: a spelling; stated: an alias that was said or set.
    origin text COLLATE "C" NOT NULL
);
CREATE INDEX entity_names_entity ON entity_names (tenant, entity);

-- A name is found by each of its keys: without marks, by first and last word, by sound, by initials.
CREATE TABLE entity_name_keys (
    -- Of tenant, family and key.
    place uuid NOT NULL,
    name uuid NOT NULL REFERENCES entity_names (id) ON DELETE CASCADE,
    PRIMARY KEY (place, name)
);
CREATE INDEX entity_name_keys_name ON entity_name_keys (name);

CREATE TABLE entity_identifiers (
    -- Of tenant and key.
    id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL
);
CREATE INDEX entity_identifiers_entity ON entity_identifiers (tenant, entity);

CREATE TABLE entity_forwards (
    tenant text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    -- The control event that ordered it.
    command uuid NOT NULL,
    PRIMARY KEY (tenant, entity)
);
CREATE INDEX entity_forwards_target ON entity_forwards (tenant, target);

-- Pairs that may be one entity, for a person to look at; first < second.
CREATE TABLE entity_suspects (
    -- Of tenant, first and second.
    id uuid PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    first text COLLATE "C" NOT NULL,
    second text COLLATE "C" NOT NULL,
    why text COLLATE "C" NOT NULL,
    score double precision NOT NULL
);
CREATE INDEX entity_suspects_first ON entity_suspects (tenant, first);
CREATE INDEX entity_suspects_second ON entity_suspects (tenant, second);

-- What was named in a conversation: there a part of a name finds its bearer.
CREATE TABLE conversation_entities (
    -- Of tenant, source and stream.
    conversation uuid NOT NULL,
    n bigint GENERATED ALWAYS AS IDENTITY,
    -- Of the entity.
    id uuid NOT NULL,
    entity text COLLATE "C" NOT NULL,
    PRIMARY KEY (conversation, id)
);
CREATE INDEX conversation_entities_newest ON conversation_entities (conversation, n);
