"""The programs and commands of the pages, run as a person runs them, against the session's broker."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from schemas.turn import Turn
from streams.stages.extract import read_input
from tests.docs.pages import blocks, commands, page, script
from tests.fixtures.broker import Broker
from tools.asyncapi import as_sent
from tools.event_examples import examples
from topics.partitioner import encode_key, partition_of

pytestmark = [pytest.mark.broker, pytest.mark.slow]

#: A number of lines, and what must be remembered by then, to the lines.
Follower = Callable[[int, dict[str, int]], list[str]]

_TIMEOUT_S = 60
NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def env(broker: Broker, topics: str, tmp_path: Path) -> dict[str, str]:
    """Where the programs look: their own variables, and those of claimstream."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMSTREAM_")}
    return kept | {
        "BOOTSTRAP": broker.bootstrap,
        "TOPIC_PREFIX": topics,
        "GROUP": f"{topics}-service",
        "DATABASE": str(tmp_path / "disputes.db"),
        "IDEMPOTENCE": "no" if broker.kind == "tansu" else "yes",
        "CLAIMSTREAM_BOOTSTRAP": broker.bootstrap,
        "CLAIMSTREAM_TOPIC_PREFIX": topics,
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def run(env: dict[str, str], tmp_path: Path) -> Callable[..., str]:
    """Runs a program of a page to its end and returns what it printed."""

    def run(page_name: str, file: str, *arguments: str) -> str:
        path = tmp_path / file
        path.write_text(script(page_name, file), "utf-8")
        done = subprocess.run(
            [sys.executable, str(path), *arguments],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def records(bootstrap: str, topic: str) -> list[Any]:
    """Every record of a topic of 8 partitions."""

    async def read() -> list[Any]:
        # From the start by the reset rule: a seek would race with a leader that is just being chosen.
        consumer = AIOKafkaConsumer(
            bootstrap_servers=bootstrap, enable_auto_commit=False, auto_offset_reset="earliest"
        )
        await consumer.start()
        try:
            partitions = [TopicPartition(topic, number) for number in range(8)]
            consumer.assign(partitions)
            ends = await consumer.end_offsets(partitions)
            found: list[Any] = []
            while len(found) < sum(ends.values()):
                for batch in (await consumer.getmany(timeout_ms=1000)).values():
                    found += batch
            return found
        finally:
            await consumer.stop()

    return asyncio.run(asyncio.wait_for(read(), _TIMEOUT_S))


def send(bootstrap: str, topic: str, bodies: list[dict[str, Any]], at: datetime = NINE) -> None:
    """Events of an entity, one after the other, one minute apart by the broker's time."""

    async def send() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all")
        await producer.start()
        try:
            for minute, body in enumerate(bodies):
                key = encode_key(body["tenant"], body["entity"])
                when = int((at + timedelta(minutes=minute)).timestamp() * 1000)
                await producer.send_and_wait(topic, json.dumps(body).encode(), key, timestamp_ms=when)
        finally:
            await producer.stop()

    asyncio.run(asyncio.wait_for(send(), _TIMEOUT_S))


def example(kind: str, **changes: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(as_sent(examples()[kind]).value)
    return body | changes


@pytest.mark.smoke
def test_the_program_that_publishes_a_turn(run: Callable[..., str], env: dict[str, str]) -> None:
    printed = run("producing.md", "publish_turn.py")
    (record,) = records(env["BOOTSTRAP"], env["TOPIC_PREFIX"] + ".turns.v1")
    assert printed == f"partition {record.partition}, offset {record.offset}\n"
    event = read_input(record.value)
    assert isinstance(event, Turn)
    key = encode_key(event.tenant, event.conversation)
    assert (record.key, record.partition) == (key, partition_of(key, 8))
    ours = dict(as_sent(event).headers)
    told = dict(record.headers)
    # The time is the only one that may be left out.
    assert told == {name: value for name, value in ours.items() if name != "ce_time"}


def test_what_the_shell_hands_to_the_console_producer(env: dict[str, str]) -> None:
    (block,) = [b for b in blocks("sh", pages=[page("producing.md")]) if "kafka-console-producer" in b.body]
    printing = block.body.split("|\n")[0]
    line = subprocess.run(["bash", "-c", printing], capture_output=True, check=True).stdout
    # The tool's own reading: up to the first tab the key, up to the end of the line the value.
    key, value = line.removesuffix(b"\n").split(b"\t")
    event = read_input(value)
    assert isinstance(event, Turn)
    assert key == encode_key(event.tenant, event.conversation)


def test_the_commands_of_the_pages(env: dict[str, str], tmp_path: Path) -> None:
    (lines,) = blocks("jsonl", pages=[page("producing.md")])
    (tmp_path / "turns.jsonl").write_text(lines.body, "utf-8")
    program = "import sys; from streams.cli import main; sys.exit(main())"
    ran = 0
    for block in blocks("sh", pages=[page("producing.md"), page("consuming.md")]):
        for arguments in commands(block):
            if "tail" in arguments:
                continue  # it goes on until Ctrl-C; tests/docs/test_pages.py looks at its options
            done = subprocess.run(
                [sys.executable, "-c", program, *arguments],
                env=env,
                cwd=tmp_path,
                input=lines.body if "-" in arguments else "",
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            assert done.returncode == 0, f"{arguments}: {done.stderr}"
            ran += 1
    assert ran >= 4
    sent = records(env["BOOTSTRAP"], env["TOPIC_PREFIX"] + ".turns.v1")
    assert len(sent) == 2 * len(lines.body.splitlines())


def seen(database: str) -> dict[str, int]:
    """What follow_disputes.py remembers: dispute to version."""
    with closing(sqlite3.connect(database)) as db:
        return dict(db.execute("select dispute_id, version from seen"))


@pytest.fixture
def follower(env: dict[str, str], tmp_path: Path) -> Iterator[Follower]:
    """Starts follow_disputes.py, returns its first lines, kills it when it has remembered what they say."""
    started: list[subprocess.Popen[str]] = []

    def first_lines(count: int, remembered: dict[str, int]) -> list[str]:
        path = tmp_path / "follow_disputes.py"
        path.write_text(script("consuming.md", "follow_disputes.py"), "utf-8")
        process = subprocess.Popen(
            [sys.executable, str(path)], env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        watchdog = threading.Timer(_TIMEOUT_S, process.kill)
        watchdog.start()
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(count)]
        while process.poll() is None and seen(env["DATABASE"]) != remembered:
            time.sleep(0.05)
        watchdog.cancel()
        process.kill()
        process.wait()
        return lines

    yield first_lines
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_the_subscriber_to_disputes_drops_what_is_not_newer(follower: Follower, env: dict[str, str]) -> None:
    topic = env["TOPIC_PREFIX"] + ".disputes.v1"
    opened, repeated = example("dispute"), example("dispute", dispute_version=2, change="repeated")
    withdrawn = example("dispute", dispute_version=3, change="withdrawn")
    said = "user:u1 timezone: EST (agent-b) against PST (agent-a)"
    # A crashed worker's events come again, in their order.
    send(env["BOOTSTRAP"], topic, [opened, repeated, opened, repeated, withdrawn])
    assert follower(3, {opened["dispute_id"]: 3}) == [
        f"opened {said}",
        f"repeated {said}",
        f"withdrawn {said}",
    ]
    # Killed, perhaps before it committed its offset: what it has seen it does not show again.
    other = example("dispute", dispute_id="00000000-0000-5000-8000-000000000001", change="opened")
    send(env["BOOTSTRAP"], topic, [withdrawn, other])
    assert follower(1, {opened["dispute_id"]: 3, other["dispute_id"]: 1}) == [f"opened {said}"]


def test_the_reader_from_a_time_on_shows_what_is_believed_at_the_end(
    run: Callable[..., str], env: dict[str, str], broker: Broker
) -> None:
    other = "00000000-0000-5000-8000-000000000002"
    early = example("claim", content={"value": {"type": "timezone", "text": "CET", "key": "timezone:x"}})
    changed = example("claim", entity_version=3, change="status", status="superseded")
    later = example("claim", entity_version=2, claim_id=other)
    bodies = [early, later, changed, later | {"status": "disputed"}]
    send(env["BOOTSTRAP"], env["TOPIC_PREFIX"] + ".claims.v1", bodies)
    all_of_it = run("consuming.md", "claims_since.py").splitlines()
    assert sorted(all_of_it) == ["active: user:u1 timezone + PST", "superseded: user:u1 timezone + PST"]
    if broker.kind == "tansu":
        return  # it answers every time with the same offset
    since = (NINE + timedelta(minutes=2)).isoformat()
    assert run("consuming.md", "claims_since.py", since) == "superseded: user:u1 timezone + PST\n"
    assert run("consuming.md", "claims_since.py", (NINE + timedelta(hours=1)).isoformat()) == ""
