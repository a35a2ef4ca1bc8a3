"""`claimstream audit`: a sound pipeline gives no finding, and each kind of damage is found where it was planted."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lancedb
import psycopg
import pytest

from audit import ledger, sums
from audit.finding import Finding
from audit.kafka import Topics, open_topics
from streams.stage import OutRecord
from tests.integration.test_cli_deadletters import KEY, put
from tests.integration.test_cli_dev import RULES, Dev, wait_for
from topics.declaration import TOPICS

pytestmark = pytest.mark.slow

#: Check to a statement that breaks its rule.
DAMAGE = {
    "one-current": "UPDATE claims SET status = 'active' WHERE predicate = 'lives_in'",
    "cells": "UPDATE claims SET cell_key = 'x' WHERE predicate = 'lives_in'",
    "places": "UPDATE claims SET entity = 'user:other' WHERE predicate = 'lives_in'",
    "tenants": "UPDATE evidence SET tenant = 'other' WHERE slot IN (SELECT slot FROM claims LIMIT 1)",
    "supported": "DELETE FROM supports WHERE claim_id IN (SELECT id FROM claims WHERE status = 'active')",
    "supports": "UPDATE supports SET claim_id = gen_random_uuid() WHERE agent = 'agent-a'",
    "evidence": "DELETE FROM evidence WHERE id IN (SELECT created_by FROM claims LIMIT 1)",
    "fold": "UPDATE claims SET status = 'ended' WHERE status = 'superseded'",
    "chains": "UPDATE claims SET superseded_by = id WHERE superseded_by IS NOT NULL",
    "disputes": "UPDATE disputes SET challenger = gen_random_uuid() WHERE status = 'open'",
    "disputed": "UPDATE disputes SET status = 'resolved' WHERE status = 'open'",
    "deleted": (
        "INSERT INTO retractions SELECT slot, cell, gen_random_uuid(), tenant, value_key, 'infinity', 'x', '', false "
        "FROM claims WHERE status = 'active' LIMIT 1"
    ),
    "numbers": "UPDATE decisions SET number = number + 100 WHERE id IN (SELECT created_by FROM claims LIMIT 1)",
    "versions": (
        "DELETE FROM outbox WHERE (stage, topic, partition, source_offset, ordinal) IN ("
        "SELECT stage, topic, partition, source_offset, ordinal FROM outbox WHERE target LIKE '%.claims.v1' LIMIT 1)"
    ),
    "slot-versions": "UPDATE slots SET version = 0",
    "resolved": "DELETE FROM decisions WHERE id IN (SELECT fact_id FROM resolutions LIMIT 1)",
    "facts": "DELETE FROM resolutions WHERE fact_id IN (SELECT fact_id FROM resolutions LIMIT 1)",
    "published": "UPDATE progress SET published_offset = published_offset - 1 WHERE published_offset > 0",
    "pending": "INSERT INTO pending SELECT id, slot, tenant, '[]', 1 FROM claims WHERE status = 'active' LIMIT 1",
    "dead": "DELETE FROM dead_letters",
    "counted": "UPDATE counters SET n = n + 1 WHERE name = 'decided' AND detail = 'ADD'",
}

ONE = "(SELECT ctid FROM {} LIMIT 1)"
#: Damage to the tables that shows against the topics: a statement, and what is found.
AGAINST_TOPICS = (
    (
        f"DELETE FROM extractions WHERE ctid = {ONE.format('extractions')}",
        "events",
        "an event on memory.turns.v1 that nothing came of",
    ),
    (
        f"UPDATE extractions SET event_id = 'another' WHERE ctid = {ONE.format('extractions')}",
        "events",
        "an extraction of an event that is not on memory.turns.v1",
    ),
    ("DELETE FROM control_versions", "events", "an event on memory.control.v1 that nothing came of"),
    (
        'UPDATE control_versions SET body = \'{"source": "x", "event_id": "y"}\' WHERE version = 1',
        "events",
        "a version of an event that is not on memory.control.v1",
    ),
    ("DELETE FROM dead_letters", "events", "an event on memory.turns.v1 that nothing came of"),
    (
        f"DELETE FROM decisions WHERE ctid = {ONE.format('decisions')}",
        "inbox",
        "an inbox record without a decision",
    ),
    (
        f"UPDATE decisions SET id = gen_random_uuid() WHERE ctid = {ONE.format('decisions')}",
        "inbox",
        "a decision about a record that is not in the inbox",
    ),
    (
        "UPDATE outbox SET value = 'x' WHERE target LIKE '%.claims.v1'",
        "topics",
        "committed for memory.claims.v1 and not on it (retention removes old ones)",
    ),
    (
        "DELETE FROM outbox WHERE target LIKE '%.disputes.v1'",
        "topics",
        "on memory.disputes.v1 and not in the outbox",
    ),
    (
        "UPDATE outbox SET value = 'x' WHERE target LIKE '%.inbox.v1'",
        "topics",
        "committed for memory.inbox.v1 and not on it (retention removes old ones)",
    ),
    (
        "UPDATE progress SET next_offset = next_offset + 5 WHERE stage = 'extract'",
        "progress",
        "a stage is past the end of its log",
    ),
    ("DELETE FROM progress WHERE stage = 'project'", "progress", "a stage has records left to do"),
    (
        "UPDATE logs SET partitions = 99 WHERE stage = 'adjudicate'",
        "progress",
        "a topic has another number of partitions than a stage began with",
    ),
)


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            (running.folder / "rules.yaml").write_text(RULES)
            running.run("policy", "apply", "rules.yaml")
            for agent, text in (
                ("agent-a", "I'm in PST"),
                ("agent-b", "I'm in EST"),
                ("agent-a", "I live in Lisbon and I like tea"),
                ("agent-b", "I live in Porto"),
                ("agent-b", "Is it late?"),
            ):
                running.say(agent, text)
            said = running.say("agent-a", "My name is Ada", "--user", "u2")
            running.json("retract", said["facts"][0]["claim"]["claim_id"])
            put(running, OutRecord("memory.turns.v1", KEY, b"no JSON"))
            wait_for(lambda: running.json("deadletters", "list"))
            yield running
        finally:
            running.end(signal.SIGTERM)


def audited(dev: Dev, *options: str) -> tuple[int, dict[str, Any]]:
    done = dev.run("audit", "--json", *options)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_sound_pipeline_gives_no_finding(dev: Dev) -> None:
    wait_for(lambda: dev.run("counts", "--index").returncode == 0)
    code, told = audited(dev)
    assert told["findings"] == []
    assert (code, told["ok"]) == (0, True)
    assert {*DAMAGE, "events", "inbox", "topics", "order", "progress", "vectors"} == set(told["checks"])
    shown = dev.run("audit")
    assert shown.returncode == 0
    assert "ok     one-current" in shown.stdout


def test_every_rule_has_its_damage() -> None:
    assert [rule.check for rule in ledger.rules()] == list(DAMAGE)


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_to_the_tables_is_found(name: str, dev: Dev) -> None:
    (rule,) = [rule for rule in ledger.rules() if rule.check == name]
    with psycopg.connect(
        dev.addresses["CLAIMSTREAM_DSN"], options="-c search_path=claimstream"
    ) as connection:
        assert ledger.check(connection, rule) is None
        done = connection.execute(DAMAGE[name].encode())
        assert done.rowcount > 0, "nothing was damaged"
        found = ledger.check(connection, rule)
        connection.rollback()
    assert found is not None
    assert found.n >= 1 and found.subjects and found.advice
    assert found.subjects[0]


@pytest.mark.parametrize(("statement", "check", "rule"), AGAINST_TOPICS)
def test_damage_to_the_tables_shows_against_the_topics(
    statement: str, check: str, rule: str, dev: Dev
) -> None:
    names = {short: row.full_name() for short, row in TOPICS.items()}

    async def look(connection: psycopg.Connection[Any]) -> list[Finding]:
        bootstrap = dev.addresses["CLAIMSTREAM_BOOTSTRAP"]
        async with open_topics(bootstrap, list(names.values()), 30) as topics:
            return await sums.compare(connection, topics, names)

    with psycopg.connect(
        dev.addresses["CLAIMSTREAM_DSN"], options="-c search_path=claimstream"
    ) as connection:
        assert connection.execute(statement.encode()).rowcount > 0, "nothing was damaged"
        found = {(row.check, row.rule): row for row in asyncio.run(look(connection))}
        connection.rollback()
    assert (check, rule) in found, list(found)
    assert found[check, rule].subjects and found[check, rule].advice


def test_a_log_that_was_cut_is_found() -> None:
    topics = Topics(None, "")  # type: ignore[arg-type]
    topics.starts, topics.ends = {("turns", 0): 5}, {("turns", 0): 9}

    class Nothing:
        """A ledger that has done nothing."""

        def cursor(self, **_: Any) -> Nothing:
            return self

        def execute(self, *_: Any) -> tuple[()]:
            return ()

        def __enter__(self) -> Nothing:
            return self

        def __exit__(self, *_: object) -> None: ...

    names = {short: short for short in TOPICS}
    (found,) = sums.progress(Nothing(), topics, names)  # type: ignore[arg-type]
    assert found.rule == "the log begins behind what a stage has done"
    assert found.subjects == ("extract turns/0: done up to 0 of 5 to 9",)


def test_damage_to_the_index_and_the_topics_is_found(dev: Dev) -> None:
    table = lancedb.connect(dev.addresses["CLAIMSTREAM_LANCEDB_URI"]).open_table("claims")
    (claim,) = [row for row in dev.json("claims", "user:u1") if row["predicate"] == "likes"]
    table.update(where=f"claim_id = '{claim['claim_id']}'", values={"status": "superseded", "version": 99})
    table.delete(f"claim_id != '{claim['claim_id']}' AND predicate = 'lives_in'")
    put(
        dev,
        OutRecord("memory.claims.v1", KEY, b"{}"),
        OutRecord("memory.claims.v1", KEY, b'{"entity_version": 1}'),
        OutRecord("memory.claims.v1", KEY, b'{"entity_version": 3}'),
    )
    wait_for(lambda: len(dev.json("deadletters", "list", "--stage", "project")) == 3)
    code, told = audited(dev)
    assert code == 1
    rules = {(row["check"], row["rule"]): row for row in told["findings"]}
    assert rules["vectors", "rows of the index that differ from their claim"]["n"] == 1
    assert rules["vectors", "claims that the index does not have"]["n"] == 2
    (said,) = rules["vectors", "rows of the index that differ from their claim"]["subjects"]
    assert "status is superseded, must be active" in said and "version is 99, must be" in said
    (gap,) = rules["order", "claim events of an entity that are not in its order"]["subjects"]
    assert "version 3 after 1" in gap
    assert ("topics", "on memory.claims.v1 and not in the outbox") in rules
    shown = dev.run("audit")
    assert shown.returncode == 1
    assert "BROKEN vectors" in shown.stdout and "ok     fold" in shown.stdout
    assert "rules are broken" in shown.stderr
    code, told = audited(dev, "--no-topics", "--no-index")
    assert (code, told["findings"]) == (0, [])


def test_a_store_that_cannot_be_read_is_another_exit_code(dev: Dev) -> None:
    away = dev.run("audit", dsn="postgresql://postgres@127.0.0.1:1/x")
    assert (away.returncode, "Postgres cannot be read" in away.stderr) == (2, True)
    other = dev.run("audit", db_schema="nothing_here", dsn=dev.addresses["CLAIMSTREAM_DSN"])
    assert (other.returncode, "no ledger in the schema" in other.stderr) == (2, True)
