"""Telling a gap with records in it from one without, on a real broker."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import AIOKafkaProducer

from schemas.errors import TransientError
from streams.embedded.process import LOOPBACK, free_port
from streams.gaps import Gaps
from tests.fixtures.broker import Broker
from topics.declaration import topic_name

pytestmark = pytest.mark.broker


@pytest.mark.smoke
async def test_records_in_the_gap_are_seen_also_when_asked_at_the_same_time(
    broker: Broker, topics: str
) -> None:
    name = topic_name("inbox", topics)
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as producer:
        for partition in range(8):
            for number in range(5):
                await producer.send_and_wait(name, b"%d" % number, partition=partition)
    gaps = Gaps(broker.bootstrap)
    try:
        answers = await asyncio.gather(*(gaps.has_records(name, p, 1, 3) for p in range(8)))
        assert answers == [True] * 8
        assert await gaps.has_records(name, 0, 4, 5)
    finally:
        await gaps.stop()


async def test_transaction_markers_are_no_records(broker: Broker, topics: str) -> None:
    if broker.kind == "tansu":
        pytest.skip("it has no transactions")
    name = topic_name("turns", topics)
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=topics) as producer:
        for number in range(2):
            async with producer.transaction():
                await producer.send_and_wait(name, b"%d" % number, partition=0)
    gaps = Gaps(broker.bootstrap)
    try:
        # Offsets: 0 record, 1 marker, 2 record, 3 marker.
        assert not await gaps.has_records(name, 0, 1, 2)
        assert await gaps.has_records(name, 0, 1, 3)
    finally:
        await gaps.stop()


async def test_no_broker_is_transient() -> None:
    gaps = Gaps(f"{LOOPBACK}:{free_port()}")
    with pytest.raises(TransientError, match="cannot look at"):
        await gaps.has_records("x", 0, 1, 2)
