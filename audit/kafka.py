"""The topics, read with a consumer of our own: every record that is still kept, and where partitions begin and end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from audit.finding import CannotAudit

_POLL_MS: Final = 250


class Topics:
    """Made by `open_topics`. Partitions are named (topic, number)."""

    def __init__(self, consumer: AIOKafkaConsumer, bootstrap: str) -> None:
        self._consumer = consumer
        self._bootstrap = bootstrap
        self.starts: dict[tuple[str, int], int] = {}
        #: Offset of the next record. `read` moves it on: a broker's answer may be a record behind what it confirmed.
        self.ends: dict[tuple[str, int], int] = {}

    async def find(self, names: list[str], timeout_s: float) -> None:
        """Asks for the partitions of the topics. Raises CannotAudit."""
        try:
            async with asyncio.timeout(timeout_s):
                places = [
                    TopicPartition(name, n)
                    for name in names
                    for n in self._consumer.partitions_for_topic(name) or ()
                ]
                known = {place.topic for place in places}
                if missing := [name for name in names if name not in known]:
                    raise CannotAudit(f"not on the broker at {self._bootstrap}: {', '.join(missing)}")
                self._consumer.assign(places)
                starts = await self._consumer.beginning_offsets(places)
                ends = await self._consumer.end_offsets(places)
        except (KafkaError, OSError, TimeoutError) as error:
            raise away(self._bootstrap, error) from None
        self.starts = {(place.topic, place.partition): n for place, n in starts.items()}
        self.ends = {(place.topic, place.partition): n for place, n in ends.items()}

    def whole(self, name: str) -> bool:
        """Is everything ever written to the topic still there?"""
        return all(start == 0 for (topic, _), start in self.starts.items() if topic == name)

    async def read(self, name: str) -> AsyncIterator[Any]:
        """The records of a topic, each partition in its order. Raises CannotAudit."""
        places = [TopicPartition(topic, n) for topic, n in self.ends if topic == name]
        try:
            self._consumer.assign(places)
            await self._consumer.seek_to_beginning(*places)
            late = False
            while True:
                batches = await self._consumer.getmany(timeout_ms=_POLL_MS)
                for place, batch in batches.items():
                    for record in batch:
                        yield record
                    key = place.topic, place.partition
                    self.ends[key] = max(self.ends[key], batch[-1].offset + 1)
                there = all(
                    [
                        await self._consumer.position(place) >= self.ends[place.topic, place.partition]
                        for place in places
                    ]
                )
                if there and (late or not places):
                    return
                late = there and not batches
        except (KafkaError, OSError, TimeoutError) as error:
            raise away(self._bootstrap, error) from None


def away(bootstrap: str, error: BaseException) -> CannotAudit:
    return CannotAudit(f"the broker at {bootstrap} cannot be read: {error or type(error).__name__}")


@asynccontextmanager
async def open_topics(bootstrap: str, names: list[str], timeout_s: float) -> AsyncIterator[Topics]:
    """A look at the topics. Raises CannotAudit."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        client_id="claimstream-audit",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    try:
        try:
            async with asyncio.timeout(timeout_s):
                await consumer.start()
        except (KafkaError, OSError, TimeoutError) as error:
            raise away(bootstrap, error) from None
        topics = Topics(consumer, bootstrap)
        await topics.find(names, timeout_s)
        yield topics
    finally:
        await consumer.stop()
