"""One stage on Faust in this process: what it reads after records were thrown away, and what it
acknowledges.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.consumer.fetcher import OffsetResetStrategy
from faust.types import TP

from schemas.errors import TransientError
from streams.faust_adapter import FaustOptions, StageApp
from streams.stage import InRecord
from tests.fixtures.broker import Broker
from topics.declaration import topic_name

pytestmark = [pytest.mark.broker, pytest.mark.smoke]
LONG_S = 60.0


class Recorder:
    """Keeps the offsets of partition 0 that it processed; `refuse` makes it fail transiently from that
    offset on.
    """

    name = "record"
    max_batch = 3

    def __init__(self, topic: str) -> None:
        self.input_topic = topic
        self.offsets: list[int] = []
        self.largest_batch = 0
        self.refuse: int | None = None
        self.refused_from = -1

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def process(self, batch: Sequence[InRecord]) -> None:
        if self.refuse is not None and batch[-1].offset >= self.refuse:
            self.refused_from = batch[0].offset
            raise TransientError("not yet")
        self.largest_batch = max(self.largest_batch, len(batch))
        self.offsets += [r.offset for r in batch]


class Rig:
    """A started StageApp, its stage, and a way to produce to partition 0."""

    def __init__(self, broker: Broker, prefix: str) -> None:
        self.bootstrap = broker.bootstrap
        self.group = f"{prefix}.record"
        self.tp = TP(topic_name("facts", prefix), 0)
        self.stage = Recorder(self.tp.topic)
        self.assigned = asyncio.Event()
        options = FaustOptions(broker.bootstrap, prefix, session_timeout_s=6.0, commit_interval_s=0.1)
        self.app = StageApp(self.stage, options, lambda _name, _count: self.assigned.set())

    @property
    def consumer(self) -> Any:
        return self.app._app.consumer

    async def produce(self, count: int) -> None:
        async with AIOKafkaProducer(bootstrap_servers=self.bootstrap, acks="all") as producer:
            for number in range(count):
                await producer.send_and_wait(self.tp.topic, b"%d" % number, key=b"k", partition=0)

    async def committed(self) -> int | None:
        async with AIOKafkaConsumer(bootstrap_servers=self.bootstrap, group_id=self.group) as reader:
            offset: int | None = await reader.committed(TopicPartition(*self.tp))
            return offset


@pytest.fixture
async def rig(broker: Broker, topics: str) -> AsyncIterator[Rig]:
    made = Rig(broker, topics)
    await made.app.start()
    async with asyncio.timeout(LONG_S):
        await made.assigned.wait()
    yield made
    await made.app.stop()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG_S):
        while not condition():  # noqa: ASYNC110 - the other side is a broker
            await asyncio.sleep(0.02)


async def test_where_nothing_was_committed_thrown_away_records_are_read_again(rig: Rig) -> None:
    await until(lambda: rig.app._app.flow_control.is_active())
    rig.consumer.stop_flow()
    await rig.produce(5)
    # As when a fetch came back during a rebalance: the client stands behind records that nobody saw.
    await rig.consumer._thread.seek_wait({rig.tp: 3})
    await rig.consumer.perform_seek()
    rig.consumer.resume_flow()
    await until(lambda: 4 in rig.stage.offsets)
    assert rig.stage.offsets == [0, 1, 2, 3, 4]


async def test_a_look_for_stuck_partitions_in_mid_seek_ends_nothing(rig: Rig) -> None:
    await rig.produce(1)
    await until(lambda: rig.stage.offsets == [0])  # only what was fetched from is looked at closely
    assignment = rig.consumer._thread._consumer._subscription.subscription.assignment
    state = assignment.state_value(TopicPartition(*rig.tp))
    looks: list[bool] = []

    async def look_in_mid_seek() -> None:
        # In the client's own thread and without a pause: nothing can answer the seek between the two.
        state.await_reset(OffsetResetStrategy.EARLIEST)
        rig.consumer._thread.verify_event_path(time.monotonic(), rig.tp)
        looks.append(state.has_valid_position)

    await rig.consumer._thread.call_thread(look_in_mid_seek)
    assert looks == [False]
    rig.consumer._thread.verify_event_path(time.monotonic(), TP(rig.tp.topic, 99))  # not ours
    await rig.produce(1)
    await until(lambda: 1 in rig.stage.offsets)


async def test_batches_are_bounded_and_only_done_ones_are_committed(rig: Rig) -> None:
    rig.stage.refuse = 6
    await rig.produce(9)
    await until(lambda: rig.stage.refused_from >= 0)
    done = rig.stage.refused_from  # 4 to 6: where the batches are cut depends on when the records arrive
    assert rig.stage.offsets == list(range(done))
    async with asyncio.timeout(LONG_S):
        while await rig.committed() != done:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)  # some more commit intervals
    assert await rig.committed() == done, "nothing past the batch that is tried again"
    rig.stage.refuse = None
    await until(lambda: 8 in rig.stage.offsets)
    assert rig.stage.offsets == list(range(9))
    assert rig.stage.largest_batch <= 3
