"""`claimstream audit`: a sound pipeline gives no finding, and each kind of damage is found where it was planted."""

from __future__ import annotations

import json
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lancedb
import psycopg
import pytest

from audit import ledger
from streams.stage import OutRecord
from tests.integration.test_cli_deadletters import KEY, put
from tests.integration.test_cli_dev import RULES, Dev, wait_for

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
}


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
    assert (code, told["ok"], told["findings"]) == (0, True, [])
    assert {*DAMAGE, "turns", "topics", "vectors"} == set(told["checks"])
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


def test_damage_to_the_index_and_the_topics_is_found(dev: Dev) -> None:
    table = lancedb.connect(dev.addresses["CLAIMSTREAM_LANCEDB_URI"]).open_table("claims")
    (claim,) = [row for row in dev.json("claims", "user:u1") if row["predicate"] == "likes"]
    table.update(where=f"claim_id = '{claim['claim_id']}'", values={"status": "superseded"})
    table.delete(f"claim_id != '{claim['claim_id']}' AND predicate = 'lives_in'")
    put(dev, OutRecord("memory.claims.v1", KEY, b"{}"))
    wait_for(lambda: dev.json("deadletters", "list", "--stage", "project"))
    code, told = audited(dev)
    assert code == 1
    rules = {(row["check"], row["rule"]): row for row in told["findings"]}
    assert rules["vectors", "rows of the index that differ from their claim"]["n"] == 1
    assert rules["vectors", "claims that the index does not have"]["n"] == 2
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
