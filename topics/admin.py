"""Create, describe and look up offsets of the declared topics, on a real broker.

Every function opens its own connection and closes it: these are commands, not a hot path.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError

from schemas.errors import ConfigurationError, IntegrityError, TransientError
from topics.declaration import DEFAULT_PARTITIONS, DEFAULT_PREFIX, TOPICS

_NO_ERROR: Final = 0
_TOPIC_ALREADY_EXISTS: Final = 36
_POLL_S: Final = 0.1


class PartitionCountMismatch(IntegrityError):
    """A topic exists with another number of partitions than declared; order per key would break."""


class TopicsMissing(ConfigurationError):
    """A topic does not exist on the broker; run `claimstream topics create`."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """A declared topic as the broker has it; `partitions` is 0 when it does not exist."""

    short: str
    name: str
    declared_partitions: int
    partitions: int


@dataclass(frozen=True, slots=True)
class PartitionOffsets:
    """Offsets of one partition: [earliest, latest) can be read; `at` is the first offset not older than the
    time
    asked for, `latest` when every record is older, None when no time was asked for."""

    topic: str
    partition: int
    earliest: int
    latest: int
    at: int | None = None


async def create_topics(
    bootstrap: str,
    prefix: str = DEFAULT_PREFIX,
    partitions: int = DEFAULT_PARTITIONS,
    replication_factor: int = 1,
    timeout_s: float = 30.0,
) -> list[str]:
    """Create what is missing of TOPICS, wait until it can be used, return the names created (empty: all
    were there).

    Raises PartitionCountMismatch, creating nothing, when an existing topic has another partition count;
    TransientError when no broker answers.
    """
    states = await describe_topics(bootstrap, prefix, partitions)
    wrong = [s for s in states if s.partitions not in (0, s.declared_partitions)]
    if wrong:
        listed = ", ".join(f"{s.name} has {s.partitions}, declared {s.declared_partitions}" for s in wrong)
        raise PartitionCountMismatch(
            f"nothing was created: {listed}. Set CLAIMSTREAM_PARTITIONS to what exists, or use another prefix"
        )
    missing = [s for s in states if s.partitions == 0]
    if not missing:
        return []
    async with _admin(bootstrap) as admin:
        response = await admin.create_topics(
            [
                NewTopic(
                    s.name, s.declared_partitions, replication_factor, topic_configs=TOPICS[s.short].configs()
                )
                for s in missing
            ]
        )
    for name, code, *message in response.topic_errors:
        # Two workers may create at the same time: the second finds it there.
        if code not in (_NO_ERROR, _TOPIC_ALREADY_EXISTS):
            raise ConfigurationError(
                f"the broker refused to create {name}: error {code} {message[0] if message else ''}"
            )
    await wait_until_visible(bootstrap, {s.name: s.declared_partitions for s in states}, timeout_s)
    return [s.name for s in missing]


async def describe_topics(
    bootstrap: str, prefix: str = DEFAULT_PREFIX, partitions: int = DEFAULT_PARTITIONS
) -> list[TopicState]:
    """Every declared topic and the partitions it has on the broker. Raises TransientError when no broker
    answers.
    """
    found = await partition_counts(bootstrap)
    return [
        TopicState(row.short, name, row.partition_count(partitions), found.get(name, 0))
        for row in TOPICS.values()
        for name in (row.full_name(prefix),)
    ]


async def partition_counts(bootstrap: str) -> dict[str, int]:
    """Topic name to number of partitions, for all topics of the broker."""
    async with _admin(bootstrap) as admin:
        # Asking for named topics would create them where the broker auto-creates; asking for all never does.
        described: list[dict[str, Any]] = await admin.describe_topics()
    return {t["topic"]: len(t["partitions"]) for t in described if t["error_code"] == _NO_ERROR}


async def wait_until_visible(bootstrap: str, wanted: Mapping[str, int], timeout_s: float = 30.0) -> None:
    """Return when each topic in `wanted` (name to partition count) has a leader for all its partitions.

    Raises TopicsMissing after `timeout_s` seconds.
    """
    missing: dict[str, int] = dict(wanted)
    try:
        async with asyncio.timeout(timeout_s), _admin(bootstrap) as admin:
            while True:
                described = {t["topic"]: t for t in await admin.describe_topics()}
                missing = {n: c for n, c in wanted.items() if _led_partitions(described.get(n)) < c}
                if not missing:
                    return
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        names = ", ".join(missing)
        raise TopicsMissing(
            f"after {timeout_s:g} s the broker at {bootstrap} does not show {names}; "
            "run `claimstream topics create`"
        ) from None


def _led_partitions(described: dict[str, Any] | None) -> int:
    if described is None:
        return 0
    return sum(1 for p in described["partitions"] if p["leader"] >= 0)


async def offsets(bootstrap: str, names: Iterable[str], at: datetime | None = None) -> list[PartitionOffsets]:
    """Earliest and latest offset of each partition of the named topics and, with `at` (aware), the offset
    at that time.

    Raises TopicsMissing, TransientError, ConfigurationError when `at` has no time zone.
    """
    counts = await partition_counts(bootstrap)
    wanted = list(names)
    unknown = [name for name in wanted if name not in counts]
    if unknown:
        raise TopicsMissing(
            f"not on the broker at {bootstrap}: {', '.join(unknown)}; run `claimstream topics create`"
        )
    tps = [TopicPartition(name, p) for name in wanted for p in range(counts[name])]
    async with _consumer(bootstrap) as consumer:
        consumer.assign(tps)
        earliest = await consumer.beginning_offsets(tps)
        latest = await consumer.end_offsets(tps)
        found = {} if at is None else await _offsets_at(consumer, latest, at)
    return [PartitionOffsets(tp.topic, tp.partition, earliest[tp], latest[tp], found.get(tp)) for tp in tps]


async def _offsets_at(
    consumer: AIOKafkaConsumer, latest: Mapping[TopicPartition, int], at: datetime
) -> dict[TopicPartition, int]:
    if at.tzinfo is None:
        raise ConfigurationError(
            f"the time {at.isoformat()} has no time zone; write it as in 2026-01-31T12:00:00Z"
        )
    asked_ms = int(at.timestamp() * 1000)
    answer = await consumer.offsets_for_times(dict.fromkeys(latest, asked_ms))
    result: dict[TopicPartition, int] = {}
    for tp, end in latest.items():
        found = answer.get(tp)
        if found is None:
            result[tp] = end
        elif found.timestamp >= asked_ms and await _first_since(
            consumer, tp, found.offset, found.offset + 1, asked_ms
        ):
            result[tp] = found.offset
        else:
            # Tansu answers the same offset whatever the time; then every record has to be looked at.
            first = await _first_since(consumer, tp, 0, end, asked_ms)
            result[tp] = end if first is None else first.offset
    return result


async def _first_since(
    consumer: AIOKafkaConsumer, tp: TopicPartition, start: int, end: int, asked_ms: int
) -> ConsumerRecord | None:
    """The first record of [start, end) with a timestamp of at least `asked_ms`."""
    if start >= end:
        return None  # a fetch where nothing will come would hold up the consumer's stop
    consumer.assign([tp])
    consumer.seek(tp, start)
    while await consumer.position(tp) < end:
        for record in (await consumer.getmany(tp, timeout_ms=1000)).get(tp, []):
            if record.offset >= end:
                return None
            if record.timestamp >= asked_ms:
                return record
    return None


@asynccontextmanager
async def _admin(bootstrap: str) -> AsyncIterator[AIOKafkaAdminClient]:
    client = AIOKafkaAdminClient(bootstrap_servers=bootstrap, client_id="claimstream-admin")
    async with _broker_errors(bootstrap):
        try:
            await client.start()
            yield client
        finally:
            await client.close()


@asynccontextmanager
async def _consumer(bootstrap: str) -> AsyncIterator[AIOKafkaConsumer]:
    client = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, client_id="claimstream-offsets", enable_auto_commit=False
    )
    async with _broker_errors(bootstrap):
        try:
            await client.start()
            yield client
        finally:
            await client.stop()


@asynccontextmanager
async def _broker_errors(bootstrap: str) -> AsyncIterator[None]:
    try:
        yield
    except (KafkaError, OSError) as exc:
        raise TransientError(
            f"no Kafka broker answered at {bootstrap} ({type(exc).__name__}: {exc}); start one, for example "
            "with `claimstream dev`, or set CLAIMSTREAM_BOOTSTRAP"
        ) from exc
