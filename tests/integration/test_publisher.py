"""What the publisher confirms is on the broker, in order per key; what it cannot write is an error, never
silence.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import psutil
import pytest
from aiokafka import AIOKafkaConsumer, ConsumerRecord

from schemas.errors import ConfigurationError, RecordTooLarge, TransientError
from streams.embedded.process import LOOPBACK, free_port
from streams.embedded.tansu import Tansu
from streams.publisher import Publisher, size_bytes
from streams.stage import OutRecord
from tests.fixtures.broker import Broker
from topics.admin import create_topics, offsets
from topics.declaration import size_limits, topic_name
from topics.partitioner import encode_key, partition_of

pytestmark = [pytest.mark.broker, pytest.mark.smoke]


@pytest.fixture
async def publisher(broker: Broker, topics: str) -> AsyncIterator[Publisher]:
    # Small batches, so that one call needs several waves.
    made = Publisher(broker.bootstrap, limits=size_limits(topics), max_batch_bytes=2048)
    await made.start()
    yield made
    await made.stop()


async def read_all(bootstrap: str, topic: str) -> list[ConsumerRecord]:
    total = sum(p.latest for p in await offsets(bootstrap, [topic]))
    found: list[ConsumerRecord] = []
    async with AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        async with asyncio.timeout(30):
            while len(found) < total:
                for records in (await consumer.getmany(timeout_ms=500)).values():
                    found += records
    return found


async def test_all_records_arrive_in_order_with_key_headers_and_partition(
    broker: Broker, topics: str, publisher: Publisher
) -> None:
    name = topic_name("inbox", topics)
    sent = [
        OutRecord(
            name, encode_key("acme", f"user:{n % 7}"), f"{n:05d}".encode() * 30, (("n", str(n).encode()),)
        )
        for n in range(500)
    ]
    await publisher.publish(sent)
    read = await read_all(broker.bootstrap, name)
    assert {(r.key, r.value, r.headers) for r in read} == {(r.key, r.value, r.headers) for r in sent}
    assert len(read) == 500
    for record in read:
        assert record.partition == partition_of(record.key, 8)
    for key in {r.key for r in sent}:
        assert [r.value for r in read if r.key == key] == [r.value for r in sent if r.key == key]


async def test_a_record_as_large_as_its_topic_allows_passes_and_one_byte_more_does_not(
    broker: Broker, topics: str, publisher: Publisher
) -> None:
    name = topic_name("inbox", topics)
    limit = size_limits(topics)[name]
    empty = OutRecord(name, b"k", b"")
    fits = OutRecord(name, b"k", b"x" * (limit - size_bytes(empty)))
    await publisher.publish([fits])
    over = OutRecord(name, b"k", fits.value + b"x")
    with pytest.raises(RecordTooLarge, match="1,048,577 bytes"):
        await publisher.publish([OutRecord(name, b"k", b"neighbour"), over])
    (only,) = await read_all(broker.bootstrap, name)
    assert only.value == fits.value, "nothing of a refused call is sent"


async def test_a_missing_topic_is_said(broker: Broker, topic_prefix: str) -> None:
    if broker.kind != "kafka":
        pytest.skip("this broker may create topics by itself")
    publisher = Publisher(broker.bootstrap, timeout_s=3)
    await publisher.start()
    try:
        with pytest.raises(ConfigurationError, match="topics create"):
            await publisher.publish([OutRecord(topic_name("turns", topic_prefix), b"k", b"v")])
    finally:
        await publisher.stop()


async def test_no_broker_is_transient_and_names_the_address() -> None:
    nowhere = f"{LOOPBACK}:{free_port()}"
    with pytest.raises(TransientError, match=nowhere):
        await Publisher(nowhere, timeout_s=3).start()


async def test_it_works_again_after_the_broker_went_away() -> None:
    port = free_port()
    with Tansu(port) as first:
        await create_topics(first.bootstrap, "again")
        publisher = Publisher(first.bootstrap, timeout_s=2)
        await publisher.start()
        record = OutRecord("again.inbox.v1", b"k", b"v")
        await publisher.publish([record])
    with pytest.raises(TransientError):
        await publisher.publish([record])
    with Tansu(port) as second:
        await create_topics(second.bootstrap, "again")
        await publisher.publish([record])
        (found,) = await read_all(second.bootstrap, "again.inbox.v1")
        assert found.value == b"v"
        await publisher.stop()


async def test_calls_that_share_a_producer_when_it_breaks_all_get_the_transient_error() -> None:
    with Tansu() as broker:
        await create_topics(broker.bootstrap, "shared")
        publisher = Publisher(broker.bootstrap, timeout_s=1.5)
        await publisher.start()
        records = [OutRecord("shared.inbox.v1", f"k{n}".encode(), b"v") for n in range(16)]
        await publisher.publish(records)
        # It hangs, and every call runs into its own timeout at another moment.
        os.kill(broker.pid, signal.SIGSTOP)
        while psutil.Process(broker.pid).status() != psutil.STATUS_STOPPED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        try:
            calls = []
            for record in records:
                calls.append(asyncio.create_task(publisher.publish([record])))
                await asyncio.sleep(0.02)
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
        finally:
            os.kill(broker.pid, signal.SIGCONT)
        assert [type(outcome) for outcome in outcomes] == [TransientError] * 16
        await publisher.publish(records)
        await publisher.stop()
