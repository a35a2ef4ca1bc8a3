"""Where the topics end: one consumer without a group, kept open by who looks more than once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.errors import TransientError
from streams.settings import Settings
from streams.stage import InRecord
from topics.admin import TopicsMissing, partition_counts
from topics.declaration import TOPICS

#: Full topic name and partition to the offset of the next record to be written.
EndOffsets = dict[tuple[str, int], int]

_WAIT_MS: Final = 100
_POLL_MS: Final = 250


class Ends:
    """Made by `open_ends`."""

    def __init__(
        self, consumer: AIOKafkaConsumer, partitions: list[TopicPartition], settings: Settings
    ) -> None:
        self._consumer = consumer
        self._partitions = partitions
        self._settings = settings
        self._at: EndOffsets = {}

    async def now(self) -> EndOffsets:
        """The end of every declared topic's partitions. Raises TransientError."""
        async with _told(self._settings):
            ends = await self._consumer.end_offsets(self._partitions)
            for tp, end in ends.items():
                if end > self._at.get((tp.topic, tp.partition), -1):
                    self._at[tp.topic, tp.partition] = end
                    self._consumer.seek(tp, end)
            # Tansu's answer may be a record behind what it has confirmed; reading finds it.
            while batches := await self._consumer.getmany(timeout_ms=_POLL_MS):
                for tp, batch in batches.items():
                    self._at[tp.topic, tp.partition] = batch[-1].offset + 1
        return dict(self._at)

    async def total(self, short: str) -> int:
        """The records ever written to a declared topic (short name)."""
        return total(await self.now(), TOPICS[short].full_name(self._settings.topic_prefix))

    def partitions(self, short: str) -> int:
        """How many partitions a declared topic (short name) has."""
        name = TOPICS[short].full_name(self._settings.topic_prefix)
        return sum(tp.topic == name for tp in self._partitions)

    async def read(
        self, short: str, ends: Mapping[tuple[str, int], int], partitions: Collection[int] | None = None
    ) -> AsyncIterator[InRecord]:
        """Every record of a topic (None: of all its partitions) that is still kept, up to `ends`.

        Raises TransientError.
        """
        name = TOPICS[short].full_name(self._settings.topic_prefix)
        mine = [
            tp
            for tp in self._partitions
            if tp.topic == name and (partitions is None or tp.partition in partitions)
        ]
        async with _told(self._settings):
            reader = await _started(self._settings)
        try:
            reader.assign(mine)
            async with _told(self._settings):
                await reader.seek_to_beginning(*mine)
            while any([await reader.position(tp) < ends[tp.topic, tp.partition] for tp in mine]):
                async with _told(self._settings):
                    batches = await reader.getmany(timeout_ms=_POLL_MS)
                for tp, batch in batches.items():
                    for record in batch:
                        if record.offset < ends[tp.topic, tp.partition]:
                            yield _in_record(record)
        finally:
            await reader.stop()


def total(ends: Mapping[tuple[str, int], int], name: str) -> int:
    """The sum of a topic's ends, by its full name: the records ever written to it."""
    return sum(end for (topic, _), end in ends.items() if topic == name)


@asynccontextmanager
async def open_ends(settings: Settings) -> AsyncIterator[Ends]:
    """Look at every declared topic. Raises TransientError when no broker answers, TopicsMissing."""
    counts = await partition_counts(settings.bootstrap)
    names = [row.full_name(settings.topic_prefix) for row in TOPICS.values()]
    if missing := [name for name in names if name not in counts]:
        raise TopicsMissing(
            f"not on the broker at {settings.bootstrap}: {', '.join(missing)}; run `claimstream topics create`"
        )
    partitions = [TopicPartition(name, n) for name in names for n in range(counts[name])]
    async with _told(settings):
        consumer = await _started(settings)
    try:
        async with _told(settings):
            consumer.assign(partitions)
            # Resolves the first positions; without it, a seek is undone by the reset still under way.
            await consumer.seek_to_end(*partitions)
            for tp in partitions:
                await consumer.position(tp)
        # Not in `_told`: what the caller's block raises (a TimeoutError is an OSError too) is not the broker's.
        yield Ends(consumer, partitions, settings)
    finally:
        await consumer.stop()


async def _started(settings: Settings) -> AIOKafkaConsumer:
    consumer = AIOKafkaConsumer(
        bootstrap_servers=settings.bootstrap,
        client_id="claimstream-ends",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        # What is not there yet shall not keep a question waiting.
        fetch_max_wait_ms=_WAIT_MS,
    )
    try:
        await consumer.start()
    except BaseException:
        await consumer.stop()
        raise
    return consumer


@asynccontextmanager
async def _told(settings: Settings) -> AsyncIterator[None]:
    try:
        yield
    except (KafkaError, OSError) as error:
        raise TransientError(
            f"the broker at {settings.bootstrap} does not answer ({str(error) or type(error).__name__}); start it, for "
            "example with `claimstream dev`, or set CLAIMSTREAM_BOOTSTRAP"
        ) from error


def _in_record(record: Any) -> InRecord:
    return InRecord(
        record.topic,
        record.partition,
        record.offset,
        record.key,
        record.value,
        tuple(record.headers),
        record.timestamp,
    )
