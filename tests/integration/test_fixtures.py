"""The broker and the Postgres of the session are what the rest of the suite takes them for."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psycopg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from streams.embedded.process import Child, ChildFailed
from tests.fixtures.broker import Broker
from topics.partitioner import encode_key, partition_of


@pytest.mark.broker
@pytest.mark.smoke
async def test_records_come_back_in_order_on_the_partition_of_their_key(broker: Broker, topics: str) -> None:
    topic = f"{topics}.inbox.v1"
    keys = [encode_key("acme", f"user:{n}") for n in range(20)]
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap, acks="all") as producer:
        for number in range(100):
            key = keys[number % 20]
            sent = await producer.send_and_wait(topic, str(number).encode(), key=key)
            assert sent.partition == partition_of(key, 8)
    read: dict[bytes, list[int]] = {}
    async with AIOKafkaConsumer(
        topic, bootstrap_servers=broker.bootstrap, auto_offset_reset="earliest"
    ) as consumer:
        async with asyncio.timeout(30):
            while sum(map(len, read.values())) < 100:
                record = await consumer.getone()
                read.setdefault(record.key, []).append(int(record.value))
    assert all(numbers == sorted(numbers) for numbers in read.values())


@pytest.mark.postgres
@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_an_empty_database(database: str, turn: int) -> None:
    with psycopg.connect(database) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone() == (0,)
        connection.execute("CREATE TABLE left_over (x int)")


def test_a_child_that_ends_at_once_says_why(tmp_path: Path) -> None:
    child = Child("Broken", [sys.executable, "-c", "raise SystemExit('no such luck')"], tmp_path / "log")
    with pytest.raises(ChildFailed, match="no such luck"):
        child.wait_until(lambda: False, timeout_s=30)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux only")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_does_not_outlive_a_killed_parent(tmp_path: Path, how: signal.Signals) -> None:
    script = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from streams.embedded.process import Child
        child = Child("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"], Path(sys.argv[1]))
        print(child.pid, flush=True)
        time.sleep(600)
        """
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child_pid = int(parent.stdout.readline())
    parent.send_signal(how)
    parent.wait()
    deadline = time.monotonic() + 30
    while _runs(child_pid):
        assert time.monotonic() < deadline, "the child lives on"
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # An orphan that ended may stay as a zombie where nobody reaps.
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"
