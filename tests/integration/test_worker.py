"""Workers on a real broker: ended, crashed, killed and frozen, and never a record lost or a key out of
order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord

from streams.embedded.process import Child
from tests.fixtures.broker import Broker
from topics.declaration import topic_name
from topics.partitioner import encode_key

pytestmark = pytest.mark.broker

KEYS = [encode_key("acme", f"user:{n}") for n in range(16)]
LONG_S = 90.0


@dataclass
class Running:
    """A worker process of the test."""

    child: Child
    ready_file: Path

    def let_go(self) -> None:
        self.ready_file.with_suffix(".go").touch()

    def log(self) -> str:
        return self.child.log_path.read_text()

    def exit_code(self) -> int:
        return self.child.wait(LONG_S)


@dataclass
class Cluster:
    """The broker, and workers that copy the facts topic to the inbox topic."""

    bootstrap: str
    prefix: str
    folder: Path
    workers: list[Running]

    @property
    def source(self) -> str:
        return topic_name("facts", self.prefix)

    @property
    def target(self) -> str:
        return topic_name("inbox", self.prefix)

    def start(self, wait: bool = True) -> Running:
        number = len(self.workers)
        ready = self.folder / f"ready{number}"
        command = [sys.executable, "-m", "tests.fixtures.worker_script", "copy", self.source, self.target]
        command += [self.bootstrap, self.prefix, str(ready)]
        running = Running(
            Child(f"worker {number}", command, self.folder / f"log{number}", grace_s=20.0), ready
        )
        self.workers.append(running)
        if wait:
            running.child.wait_until(ready.exists, LONG_S)
        return running

    async def produce(self, values: list[str]) -> None:
        async with AIOKafkaProducer(bootstrap_servers=self.bootstrap, acks="all") as producer:
            for number, value in enumerate(values):
                await producer.send_and_wait(self.source, value.encode(), key=KEYS[number % len(KEYS)])

    async def arrived(self, enough: Callable[[list[ConsumerRecord]], bool]) -> list[ConsumerRecord]:
        """What is on the target topic, once that is enough."""
        found: list[ConsumerRecord] = []
        async with _reader(self.target, self.bootstrap) as consumer, asyncio.timeout(LONG_S):
            while not enough(found):
                for records in (await consumer.getmany(timeout_ms=200)).values():
                    found += records
        return found


@asynccontextmanager
async def _reader(topic: str, bootstrap: str) -> AsyncIterator[AIOKafkaConsumer]:
    async with AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        yield consumer


@pytest.fixture
def cluster(broker: Broker, topics: str, tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(broker.bootstrap, topics, tmp_path, [])
    yield made
    for running in made.workers:
        running.child.stop()


def distinct(count: int) -> Callable[[list[ConsumerRecord]], bool]:
    return lambda records: len({r.value for r in records}) >= count


def numbers(records: list[ConsumerRecord], key: bytes) -> list[int]:
    """The numbers of a key's records in the order they were first seen."""
    return list(dict.fromkeys(int(r.value.rpartition(b" ")[2]) for r in records if r.key == key))


def assert_complete_and_in_order(records: list[ConsumerRecord], count: int) -> None:
    assert len({r.value for r in records}) == count
    for key in KEYS:
        assert numbers(records, key) == sorted(numbers(records, key))


@pytest.mark.smoke
async def test_sigterm_ends_a_worker_with_exit_code_zero_and_its_successor_goes_on(cluster: Cluster) -> None:
    first = cluster.start()
    await cluster.produce([f"v {n}" for n in range(100)])
    await cluster.arrived(distinct(100))
    os.kill(first.child.pid, signal.SIGTERM)
    assert first.exit_code() == 0
    assert "stopped" in first.log(), "the stage was closed"
    await cluster.produce([f"v {n}" for n in range(100, 200)])
    cluster.start()
    records = await cluster.arrived(distinct(200))
    assert_complete_and_in_order(records, 200)
    assert len(records) == 200, "what was acknowledged before an orderly end does not come again"


@pytest.mark.smoke
async def test_a_transient_error_is_tried_again_in_place(cluster: Cluster) -> None:
    worker = cluster.start()
    await cluster.produce([f"{'flaky' if n % 10 == 0 else 'v'} {n}" for n in range(100)])
    records = await cluster.arrived(distinct(100))
    assert_complete_and_in_order(records, 100)
    assert worker.child.running()


@pytest.mark.smoke
async def test_a_crash_exits_non_zero_and_nothing_after_it_is_acknowledged(cluster: Cluster) -> None:
    first = cluster.start()
    await cluster.produce([f"v {n}" for n in range(64)])
    await cluster.arrived(distinct(64))
    await cluster.produce([f"{'crash' if n == 80 else 'v'} {n}" for n in range(64, 164)])
    assert first.exit_code() == 1
    assert "told to crash" in first.log()
    second = cluster.start(wait=False)
    assert second.exit_code() == 1, "the record that crashed it comes again"
    third = cluster.start(wait=False)
    third.let_go()
    records = await cluster.arrived(distinct(164))
    assert_complete_and_in_order(records, 164)


async def test_two_workers_share_the_partitions_and_a_killed_ones_are_taken_over(cluster: Cluster) -> None:
    first, second = cluster.start(), cluster.start()
    await cluster.produce([f"v {n}" for n in range(160)])
    await cluster.arrived(distinct(160))
    # Each holds its first record back, so both are in mid-batch when one is killed.
    await cluster.produce([f"slow {n}" for n in range(160, 320)])
    await asyncio.sleep(1.0)
    assert "4 partitions assigned" in first.log()
    assert "4 partitions assigned" in second.log()
    second.child.kill()
    first.let_go()
    records = await cluster.arrived(distinct(320))
    assert_complete_and_in_order(records, 320)
    assert first.child.running()


async def test_a_frozen_worker_that_wakes_up_loses_and_overtakes_nothing(cluster: Cluster) -> None:
    first, second = cluster.start(), cluster.start()
    await cluster.produce([f"slow {n}" for n in range(160)])
    await asyncio.sleep(1.0)
    os.kill(second.child.pid, signal.SIGSTOP)
    first.let_go()
    await cluster.arrived(distinct(160))
    second.let_go()
    os.kill(second.child.pid, signal.SIGCONT)
    await cluster.produce([f"v {n}" for n in range(160, 320)])
    records = await cluster.arrived(distinct(320))
    assert_complete_and_in_order(records, 320)
    await _until(lambda: "4 partitions assigned" in second.log())
    assert first.child.running() and second.child.running()


async def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.1)
