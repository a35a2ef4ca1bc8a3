"""What was recorded gives the same ledger again: statements, commands, merges, retractions, verdicts, dead letters."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from streams.stage import OutRecord
from tests.integration.test_cli_deadletters import KEY, put
from tests.integration.test_cli_dev import RULES, Dev, wait_for

pytestmark = pytest.mark.slow

OTHER = """
policy: {rules: [{pattern: "*", strategy: recency}]}
authority: {weights: []}
"""


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            lived(running)
            yield running
        finally:
            running.end(signal.SIGTERM)


def lived(dev: Dev) -> None:
    """Something of everything that lies in an inbox."""
    dev.say("agent-b", "I'm in CET", "--user", "u9")
    (dev.folder / "rules.yaml").write_text(RULES)
    dev.run("policy", "apply", "rules.yaml")
    for user in ("u1", "u2"):
        dev.say("agent-a", "I'm in PST", "--user", user)
        dev.say("agent-b", "I'm in EST", "--user", user)
    dispute = next(row for row in dev.json("disputes", "list") if row["entity"] == "user:u1")
    dev.json("disputes", "resolve", dispute["dispute_id"], "--accept")
    said = dev.say("agent-a", "I live in Lisbon. I like tea.", "--user", "u3")
    taken = dev.json("retract", said["facts"][0]["claim"]["claim_id"])
    dev.json("restore", taken[0]["command"], "--entity", "user:u3")
    for text in ("Ana Ruiz likes rye.", "Kat Lind likes rain."):
        dev.say("agent-a", text)
    assert dev.run("identity", "merge", "person:ana-ruiz", "person:kat-lind").returncode == 0
    dev.say("agent-b", "Ana Ruiz plays chess.")
    (dev.folder / "registry.yaml").write_text(
        "registry: {predicates: [{name: lives_in, value_type: place, cardinality: many}]}"
    )
    dev.run("policy", "apply", "registry.yaml")
    dev.say("agent-b", "I live in Porto", "--user", "u3")
    put(dev, OutRecord("memory.inbox.v1", KEY, b"no JSON"))
    wait_for(lambda: dev.run("counts").returncode in (0, 1) and dev.json("deadletters", "list"))
    wait_for(lambda: settled(dev))


def settled(dev: Dev) -> bool:
    """Twice the same digest: nothing is under way."""
    first = dev.run("claims", "person:kat-lind", "--json").stdout
    return "chess" in first and "rye" in first


def again(dev: Dev, schema: str, *options: str) -> dict[str, Any]:
    told: dict[str, Any] = dev.json("replay", schema, *options)
    return told


def test_a_replay_is_equal_to_the_live_ledger_twice(dev: Dev) -> None:
    one = again(dev, "again_1")
    assert one["equal"], dev.run("diff", "claimstream", "again_1").stdout
    assert one["records"] >= 15
    assert one["entities"] >= 6
    two = again(dev, "again_2")
    assert (two["digest"], two["records"]) == (one["digest"], one["records"])
    assert dev.run("diff", "again_1", "claimstream").returncode == 0
    # What was done is not done again.
    assert again(dev, "again_1")["digest"] == one["digest"]
    assert "equal to the live ledger" in dev.run("replay", "again_2").stdout


def test_several_processes_make_the_same_ledger(dev: Dev) -> None:
    one = again(dev, "alone", "--processes", "1")
    two = again(dev, "together", "--processes", "3")
    assert one["equal"] and two["equal"]
    assert (two["digest"], two["records"]) == (one["digest"], one["records"])
    # What is told is on the topics already.
    with psycopg.connect(dev.addresses["CLAIMSTREAM_DSN"]) as connection:
        for schema in ("alone", "together"):
            (n,) = connection.execute(
                f"SELECT count(*) FROM {schema}.outbox WHERE target NOT LIKE '%deadletters%' AND stage = 'adjudicate'"
            ).fetchone() or (None,)
            assert n == 0


def test_other_rules_show_which_beliefs_would_differ(dev: Dev) -> None:
    (dev.folder / "other.yaml").write_text(OTHER)
    told = again(dev, "what_if", "--policy", "other.yaml")
    assert not told["equal"]
    done = dev.run("diff", "claimstream", "what_if")
    assert done.returncode == 1
    assert "user:u2" in done.stdout
    assert "- timezone = PST (active)" in done.stdout
    assert "+ timezone = EST (active)" in done.stdout
    (row,) = [row for row in dev_differences(dev, "what_if") if row["entity"] == "user:u2"]
    assert row["what_if"] == ["timezone = EST (active)"]


def dev_differences(dev: Dev, schema: str) -> list[dict[str, Any]]:
    import json

    rows: list[dict[str, Any]] = json.loads(dev.run("diff", "claimstream", schema, "--json").stdout)[
        "differences"
    ]
    return rows


def test_a_replay_up_to_a_time_knows_nothing_of_what_came_later(dev: Dev) -> None:
    told = again(dev, "before", "--until", "2020-01-01T00:00:00Z")
    assert (told["records"], told["entities"], told["equal"]) == (0, 0, False)
    assert dev.run("diff", "before", "claimstream").returncode == 1


def test_refusals_say_what_to_do(dev: Dev) -> None:
    for arguments, code, says in (
        (("replay", "claimstream"), 2, "is the live ledger"),
        (("replay", "x", "--until", "noon"), 2, "is no time"),
        (("replay", "x", "--policy", "missing.yaml"), 1, "cannot be read"),
        (("diff", "claimstream", "nowhere"), 2, "nowhere"),
    ):
        done = dev.run(*arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert says in done.stderr, (arguments, done.stderr)
    taken = dev.run("replay", "claimstream", db_schema="elsewhere", **stores(dev))
    assert (taken.returncode, "holds a ledger of a pipeline" in taken.stderr) == (2, True), taken.stderr


def stores(dev: Dev) -> dict[str, str]:
    names = ("BOOTSTRAP", "DSN", "LANCEDB_URI")
    return {name.lower(): dev.addresses[f"CLAIMSTREAM_{name}"] for name in names}
