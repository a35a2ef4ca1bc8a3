-- name: lock_schema
-- One program at a time brings a schema up to date.
SELECT pg_advisory_xact_lock(hashtextextended('claimstream:' || %(schema)s, 0));

-- name: schema_exists
-- CREATE SCHEMA IF NOT EXISTS would ask for a right that is not needed once it is there.
SELECT to_regnamespace(quote_ident(%(schema)s)) IS NOT NULL, to_regclass(quote_ident(%(schema)s) || '.schema_version') IS NOT NULL;

-- name: create_schema
-- {schema} is filled in as an identifier.
CREATE SCHEMA {schema};

-- name: create_schema_version
-- What was applied, and when.
CREATE TABLE schema_version (
    version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
);

-- name: schema_versions
-- In order.
SELECT version, name FROM schema_version ORDER BY version;

-- name: add_schema_version
-- In the transaction of the migration.
INSERT INTO schema_version (version, name) VALUES (%(version)s, %(name)s);
