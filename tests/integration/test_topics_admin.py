"""Topics on a real broker: created once, never changed behind our back, offsets by position and by time."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from aiokafka import AIOKafkaProducer

from schemas.errors import ConfigurationError, TransientError
from streams.embedded.process import LOOPBACK, free_port
from tests.fixtures.broker import Broker
from topics.admin import (
    PartitionCountMismatch,
    TopicsMissing,
    create_topics,
    describe_topics,
    offsets,
    partition_counts,
    wait_until_visible,
)
from topics.declaration import TOPICS, topic_name

pytestmark = [pytest.mark.broker, pytest.mark.smoke]


async def test_creating_twice_creates_once(broker: Broker, topic_prefix: str) -> None:
    created = await create_topics(broker.bootstrap, topic_prefix, partitions=3)
    assert created == [row.full_name(topic_prefix) for row in TOPICS.values()]
    assert await create_topics(broker.bootstrap, topic_prefix, partitions=3) == []
    states = {s.short: s.partitions for s in await describe_topics(broker.bootstrap, topic_prefix, 3)}
    assert states == {short: 1 if short == "control" else 3 for short in TOPICS}


async def test_two_that_create_at_the_same_time_both_succeed(broker: Broker, topic_prefix: str) -> None:
    await asyncio.gather(*(create_topics(broker.bootstrap, topic_prefix, partitions=2) for _ in range(2)))
    states = await describe_topics(broker.bootstrap, topic_prefix, 2)
    assert all(s.partitions == s.declared_partitions for s in states)


async def test_another_partition_count_is_refused_and_nothing_created(
    broker: Broker, topic_prefix: str
) -> None:
    await create_topics(broker.bootstrap, topic_prefix, partitions=2)
    with pytest.raises(PartitionCountMismatch, match=r"has 2, declared 4"):
        await create_topics(broker.bootstrap, topic_prefix, partitions=4)
    assert (await partition_counts(broker.bootstrap))[topic_name("turns", topic_prefix)] == 2


async def test_offsets_by_position(broker: Broker, topics: str) -> None:
    name = topic_name("control", topics)
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as producer:
        for number in range(5):
            await producer.send_and_wait(name, str(number).encode())
    (found,) = await offsets(broker.bootstrap, [name])
    assert (found.earliest, found.latest, found.at) == (0, 5, None)


async def test_offsets_by_time(broker: Broker, topics: str) -> None:
    name = topic_name("control", topics)
    start_ms = 1_700_000_000_000
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as producer:
        for number in range(5):
            await producer.send_and_wait(name, b"x", timestamp_ms=start_ms + number * 1000)
    at = dt.datetime.fromtimestamp(start_ms / 1000 + 2, dt.UTC)
    (found,) = await offsets(broker.bootstrap, [name], at)
    assert found.at == 2
    (found,) = await offsets(broker.bootstrap, [name], at - dt.timedelta(hours=1))
    assert found.at == 0
    (found,) = await offsets(broker.bootstrap, [name], at + dt.timedelta(hours=1))
    assert found.at == 5, "after every record: the end"


async def test_a_time_without_zone_is_refused(broker: Broker, topics: str) -> None:
    with pytest.raises(ConfigurationError, match="time zone"):
        await offsets(broker.bootstrap, [topic_name("control", topics)], dt.datetime(2026, 1, 1))


async def test_missing_topics_are_named(broker: Broker, topic_prefix: str) -> None:
    with pytest.raises(TopicsMissing, match=f"{topic_prefix}.turns.v1"):
        await offsets(broker.bootstrap, [topic_name("turns", topic_prefix)])
    with pytest.raises(TopicsMissing, match="topics create"):
        await wait_until_visible(broker.bootstrap, {topic_name("turns", topic_prefix): 8}, timeout_s=0.3)
    assert topic_name("turns", topic_prefix) not in await partition_counts(broker.bootstrap), (
        "asking must not create"
    )


async def test_no_broker_is_said_clearly() -> None:
    nowhere = f"{LOOPBACK}:{free_port()}"
    with pytest.raises(TransientError, match=nowhere):
        await create_topics(nowhere)
