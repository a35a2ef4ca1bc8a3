"""What a stage asks of the log it reads, apart from its records: is it still the log that the ledger follows?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from schemas.errors import TransientError
from streams.gaps import Gaps
from streams.stage import InRecord

_TIMEOUT_S: Final = 30.0
_POLL_MS: Final = 500
_POLLS: Final = 10


class LogIdentity(NamedTuple):
    """`cluster_id` is empty where the broker has none."""

    cluster_id: str
    partitions: int


class PartitionLog(Protocol):
    """The log behind a stage. Every method raises TransientError when no broker answers."""

    async def identity(self, topic: str) -> LogIdentity: ...

    async def first_offset(self, topic: str, partition: int) -> int:
        """Where the log begins: 0 until retention removes something."""
        ...

    async def read(self, topic: str, partition: int, offset: int) -> InRecord | None:
        """The record at `offset`, None when there is none (any more)."""
        ...

    async def has_records(self, topic: str, partition: int, first: int, end: int) -> bool:
        """Is there a record with first <= offset < end?"""
        ...


def record_hash(record: InRecord) -> bytes:
    """16 bytes that tell a record from another one at its offset: time, key and value."""
    key, value = record.key or b"", record.value or b""
    return sha256(b"%d:%d:%s%s" % (record.timestamp_ms, len(key), key, value)).digest()[:16]


class KafkaLog:
    """`PartitionLog` on a broker, with a consumer of its own that belongs to no group."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._gaps = Gaps(bootstrap)

    async def stop(self) -> None:
        await self._gaps.stop()

    async def identity(self, topic: str) -> LogIdentity:
        async with self._asking(topic):
            client = AIOKafkaAdminClient(bootstrap_servers=self._bootstrap, client_id="claimstream-log")
            await client.start()
            try:
                cluster: dict[str, Any] = await client.describe_cluster()
                (described,) = await client.describe_topics([topic])
            finally:
                await client.close()
        return LogIdentity(str(cluster.get("cluster_id") or ""), len(described["partitions"]))

    async def first_offset(self, topic: str, partition: int) -> int:
        at = TopicPartition(topic, partition)
        async with self._asking(topic), self._consumer() as consumer:
            first: int = (await consumer.beginning_offsets([at]))[at]
            return first

    async def read(self, topic: str, partition: int, offset: int) -> InRecord | None:
        at = TopicPartition(topic, partition)
        async with self._asking(topic), self._consumer() as consumer:
            consumer.assign([at])
            consumer.seek(at, offset)
            for _ in range(_POLLS):
                for found in (await consumer.getmany(at, timeout_ms=_POLL_MS)).get(at, []):
                    return _record(found) if found.offset == offset else None
        return None

    async def has_records(self, topic: str, partition: int, first: int, end: int) -> bool:
        return await self._gaps.has_records(topic, partition, first, end)

    @asynccontextmanager
    async def _consumer(self) -> AsyncIterator[AIOKafkaConsumer]:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self._bootstrap,
            client_id="claimstream-log",
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
        await consumer.start()
        try:
            yield consumer
        finally:
            await consumer.stop()

    @asynccontextmanager
    async def _asking(self, topic: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                yield
        except (KafkaError, TimeoutError, OSError) as exc:
            raise TransientError(f"cannot look at {topic} on the broker at {self._bootstrap}: {exc}") from exc


def _record(found: Any) -> InRecord:
    return InRecord(
        found.topic,
        found.partition,
        found.offset,
        found.key,
        found.value,
        tuple(found.headers),
        found.timestamp,
    )
