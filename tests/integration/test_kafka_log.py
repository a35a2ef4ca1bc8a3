"""What a stage asks of its log, on a real broker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from schemas.errors import IntegrityError, TransientError
from sinks.memory_ledger import MemoryLedger
from sinks.ports import LogKey, Progress
from streams.kafka_log import KafkaLog, record_hash
from streams.log_checks import refuse_another_log
from streams.publisher import Publisher
from streams.stage import OutRecord
from tests.fixtures.broker import Broker
from topics.declaration import topic_name
from topics.partitioner import partition_of

pytestmark = pytest.mark.broker


@pytest.fixture
async def log(broker: Broker) -> AsyncIterator[KafkaLog]:
    found = KafkaLog(broker.bootstrap)
    yield found
    await found.stop()


async def written(broker: Broker, topic: str, n: int, word: str = "v") -> int:
    """Writes `n` records with one key; returns their partition (of 8)."""
    publisher = Publisher(broker.bootstrap)
    await publisher.start()
    await publisher.publish([OutRecord(topic, b"k", f"{word}{i}".encode()) for i in range(n)])
    await publisher.stop()
    return partition_of(b"k", 8)


async def test_it_knows_its_cluster_its_start_and_its_records(
    broker: Broker, topics: str, log: KafkaLog
) -> None:
    topic = topic_name("inbox", topics)
    partition = await written(broker, topic, 5)
    assert (await log.identity(topic)).partitions == 8
    assert await log.identity(topic) == await log.identity(topic)
    assert await log.first_offset(topic, partition) == 0
    found = await log.read(topic, partition, 3)
    assert found is not None and (found.offset, found.key, found.value) == (3, b"k", b"v3")
    assert found.timestamp_ms > 0
    assert await log.has_records(topic, partition, 1, 3)


async def test_the_log_that_was_processed_is_told_from_another_one(
    broker: Broker, topics: str, log: KafkaLog
) -> None:
    topic = topic_name("inbox", topics)
    partition = await written(broker, topic, 5)
    place = LogKey("adjudicate", topic, partition)
    last = await log.read(topic, partition, 2)
    assert last is not None
    good = Progress(3, 2, record_hash(last))
    await refuse_another_log(log, place, good)
    with pytest.raises(IntegrityError, match="another record at offset 2"):
        await refuse_another_log(log, place, replace(good, last_hash=b"?" * 16))
    with pytest.raises(IntegrityError, match="no record at offset 8"):
        await refuse_another_log(log, place, replace(good, next_offset=9, last_offset=8))


async def test_more_partitions_are_refused(broker: Broker, topics: str, log: KafkaLog) -> None:
    ledger = MemoryLedger()
    found = await log.identity(topic_name("inbox", topics))
    await ledger.register_log("s", "t", found.cluster_id, found.partitions)
    with pytest.raises(IntegrityError, match="partitions"):
        await ledger.register_log("s", "t", found.cluster_id, found.partitions + 1)


async def test_no_broker_is_transient() -> None:
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:1"):
        await KafkaLog("127.0.0.1:1").first_offset("t", 0)
