"""`claimstream status` and `deadletters`: what was given up is found, told and sent again, and counts once."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from schemas.errors import UnreadableRecord
from streams.dead_letters import DeadLetter, dead_record
from streams.envelope import input_record
from streams.redrive import again, dead_of, newest
from streams.settings import Settings
from streams.stage import InRecord, OutRecord
from tests.fixtures.pipeline import turn
from tests.integration.test_cli_dev import Dev, wait_for
from topics.partitioner import encode_key

pytestmark = pytest.mark.slow

KEY = encode_key("default", "c")


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    with tempfile.TemporaryDirectory(prefix="claimstream-test-") as folder:
        running = Dev(Path(folder))
        try:
            yield running
        finally:
            running.end(signal.SIGTERM)


def put(dev: Dev, *records: OutRecord) -> None:
    """Past the checks of `publish`."""

    async def send() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=dev.addresses["CLAIMSTREAM_BOOTSTRAP"])
        await producer.start()
        for row in records:
            await producer.send_and_wait(row.topic, row.value, row.key, headers=list(row.headers))
        await producer.stop()

    asyncio.run(send())


def listed(dev: Dev, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = dev.json("deadletters", "list", *options)
    return found


def until(dev: Dev, done: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    wait_for(lambda: done(listed(dev, "--all")))
    return listed(dev, "--all")


def test_an_unreadable_record_is_shown_whole_and_counts_its_attempts(dev: Dev) -> None:
    put(dev, OutRecord("memory.turns.v1", KEY, b"no JSON at all", (("theirs", b"kept"),)))
    (row,) = until(dev, lambda rows: len(rows) == 1)
    assert (row["stage"], row["error_class"], row["attempts"], row["state"]) == (
        "extract",
        "UnreadableRecord",
        1,
        "waiting",
    )
    shown = dev.json("deadletters", "show", row["id"])
    assert shown["value"] == "no JSON at all"
    assert shown["headers"]["theirs"] == "kept"
    assert "no JSON at all" in dev.run("deadletters", "show", row["id"]).stdout
    assert row["id"] in dev.run("deadletters", "list", "--stage", "extract").stdout

    dry = dev.run("deadletters", "redrive", "--all", "--dry-run")
    assert "1 would be sent again" in dry.stdout
    assert len(listed(dev, "--all")) == 1
    assert dev.json("deadletters", "redrive", row["id"])["redriven"] == [row["id"]]
    rows = until(dev, lambda rows: len(rows) == 2)
    assert [(row["attempts"], row["state"]) for row in rows] == [(1, "given up again"), (2, "waiting")]
    assert [row["attempts"] for row in listed(dev)] == [2]
    # Of two attempts of one record, one is sent.
    assert dev.json("deadletters", "redrive", "--all")["redriven"] == [rows[1]["id"]]
    until(dev, lambda rows: len(rows) == 3)


def test_what_was_given_up_by_a_fault_since_mended_arrives_once(dev: Dev) -> None:
    said = turn(77, "I live in Lisbon", user="u77").model_copy(update={"tenant": "default"})
    good = input_record(said, Settings())
    lost = InRecord(good.topic, 0, 4711, good.key, good.value, good.headers, 1)
    put(dev, dead_record(lost, DeadLetter(UnreadableRecord("a fault")), "extract", "memory.deadletters.v1"))
    waiting = [row for row in listed(dev) if row["error"] == "a fault"]
    assert [row["origin"]["offset"] for row in waiting] == [4711]
    for _ in range(2):
        dev.json("deadletters", "redrive", waiting[0]["id"])
        status = wait_for(lambda: dev.run("status", said.event_id, "--source", said.source).returncode == 0)
        assert status
    assert [row["value"] for row in dev.json("claims", "user:u77")] == ["Lisbon"]
    assert [row["state"] for row in listed(dev, "--all") if row["error"] == "a fault"] == ["processed"]
    (chain,) = dev.json("explain", "user:u77", "lives_in")
    assert len(chain["steps"]) == 1


def test_status_tells_each_step(dev: Dev) -> None:
    said = dev.say("agent-a", "I live in Porto and I like tea", "--user", "u5")
    told = dev.json("status", said["event_id"], "--source", "say")
    assert (told["state"], told["extraction"]) == ("decided", "facts")
    assert [fact["outcome"] for fact in told["facts"]] == ["ADD", "ADD"]
    assert "decided, ADD" in dev.run("status", said["event_id"], "--source", "say").stdout
    nothing = dev.say("agent-a", "Is it raining?")
    assert "no facts in it" in dev.run("status", nothing["event_id"], "--source", "say").stdout

    ours = turn(5, "My name is Ada").model_copy(update={"tenant": "default", "event_id": "twice"})
    other = ours.model_copy(update={"user": "u2"})
    put(dev, *(input_record(one, Settings()) for one in (ours, other)))
    done = wait_for(lambda: dev.run("status", "twice", "--source", ours.source).returncode == 1)
    assert done
    given_up = dev.run("status", "twice", "--source", ours.source, "--json")
    assert json.loads(given_up.stdout)["dead_letters"][0]["error_class"] == "OtherBody"
    assert "extract gave it up: OtherBody" in given_up.stderr
    # The id is taken: to send the other body again changes nothing, and is not done.
    assert [row["state"] for row in listed(dev, "--all", "--reason", "OtherBody")] == ["processed"]


def test_refusals_say_what_to_do(dev: Dev) -> None:
    for arguments, code, says in (
        (("status", "never", "--source", "say"), 1, "it was not published"),
        (("deadletters", "show", "9/9"), 1, "no dead letter 9/9"),
        (("deadletters", "redrive"), 2, "say --all"),
        (("deadletters", "redrive", "0/0", "--all"), 2, "say --all"),
        (("deadletters", "list", "--stage", "extrct"), 2, "is no stage"),
        (("deadletters", "list", "--since", "yesterday"), 2, "is no time"),
    ):
        done = dev.run(*arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert says in done.stderr, (arguments, done.stderr)


def test_a_record_sent_again_is_the_record_that_was_given_up() -> None:
    original = InRecord("memory.facts.v1", 3, 9, b"k", b"v", (("ce_id", b"1"),), 5)
    letter = dead_record(original, DeadLetter(UnreadableRecord("why"), item=2), "resolve", "dead")
    dead = dead_of(InRecord("dead", 0, 1, letter.key, letter.value, letter.headers, 6))
    assert dead is not None
    sent = again(dead)
    assert (sent.topic, sent.key, sent.value) == (original.topic, original.key, original.value)
    assert sent.headers == (("ce_id", b"1"), ("claimstream_attempts", b"1"))
    assert newest([dead, dead]) == [dead]
    assert dead_of(original) is None
