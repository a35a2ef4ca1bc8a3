"""Reading a topic along, without a consumer group: for people and for commands that wait for something."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.errors import ConfigurationError, TransientError
from streams.settings import Settings
from streams.stage import InRecord
from topics.admin import TopicsMissing, partition_counts
from topics.declaration import topic

#: Where to begin: with what comes next, with the first record there is, or at an offset of every partition.
Start = Literal["latest", "earliest"] | int


class Follower:
    """Positions in the partitions of one topic; `records` yields what is there and then waits for more."""

    def __init__(self, consumer: AIOKafkaConsumer, settings: Settings) -> None:
        self._consumer = consumer
        self._settings = settings

    async def records(self) -> AsyncIterator[InRecord]:
        """Records as they come, in the order of each partition. Raises TransientError when the broker is gone."""
        while True:
            try:
                batches: Mapping[TopicPartition, list[Any]] = await self._consumer.getmany(timeout_ms=500)
            except (KafkaError, OSError) as error:
                raise _gone(self._settings, error) from error
            for batch in batches.values():
                for record in batch:
                    yield _in_record(record)


@asynccontextmanager
async def follow(
    settings: Settings, short: str, start: Start, partition: int | None = None
) -> AsyncIterator[Follower]:
    """A follower of a declared topic; its positions are fixed when the block begins, so nothing said after is missed.

    Raises TransientError when no broker answers, TopicsMissing, ConfigurationError for a partition there is not.
    """
    name = topic(short).full_name(settings.topic_prefix)
    count = (await partition_counts(settings.bootstrap)).get(name, 0)
    if count == 0:
        raise TopicsMissing(
            f"not on the broker at {settings.bootstrap}: {name}; run `claimstream topics create`"
        )
    if partition is not None and not 0 <= partition < count:
        raise ConfigurationError(f"{name} has partitions 0 to {count - 1}, there is no {partition}")
    chosen = [TopicPartition(name, n) for n in range(count) if partition in (None, n)]
    consumer = AIOKafkaConsumer(
        bootstrap_servers=settings.bootstrap,
        client_id="claimstream-follow",
        enable_auto_commit=False,
        # Past the end or before the beginning: begin with what there is.
        auto_offset_reset="latest" if start == "latest" else "earliest",
    )
    try:
        try:
            async with asyncio.timeout(3 * settings.broker_timeout_s):
                await consumer.start()
                consumer.assign(chosen)
                for tp in chosen:
                    # Resolves the first position; without it, a seek is undone by the reset still under way.
                    await consumer.position(tp)
                    if isinstance(start, int):
                        consumer.seek(tp, start)
        except (KafkaError, OSError, TimeoutError) as error:
            raise _gone(settings, error) from error
        yield Follower(consumer, settings)
    finally:
        await consumer.stop()


def _gone(settings: Settings, error: BaseException) -> TransientError:
    reason = str(error) or type(error).__name__
    return TransientError(
        f"the broker at {settings.bootstrap} does not answer ({reason}); start it, for example with "
        "`claimstream dev`, or set CLAIMSTREAM_BOOTSTRAP"
    )


def _in_record(record: Any) -> InRecord:
    return InRecord(
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        key=record.key,
        value=record.value,
        headers=tuple(record.headers),
        timestamp_ms=record.timestamp,
    )
