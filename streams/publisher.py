"""Publishing what a stage produced: sent in order per key, confirmed by the broker, or an error and nothing
assumed.

Order: the records of one call and one partition go out in batches, the next batch only after the one before
is confirmed. So when a call fails, what was written is a prefix for every partition, and the same call
repeated (the runner does) adds duplicates at most, never a later record before an earlier one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from aiokafka import AIOKafkaProducer
from aiokafka.errors import (
    InvalidTopicError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
    UnknownError,
    UnknownTopicOrPartitionError,
    UnsupportedVersionError,
)
from aiokafka.producer.message_accumulator import BatchBuilder

from schemas.errors import ConfigurationError, RecordTooLarge, TransientError
from streams.stage import OutRecord
from topics.partitioner import partition_of

log = logging.getLogger(__name__)

# What Kafka adds to key, value and headers: 61 bytes for the batch and up to 7 varints of at most 5 bytes
# for the record and 2 for each header (Kafka protocol guide, "Record Batch"). Rounded up.
_BATCH_OVERHEAD: Final = 128
_HEADER_OVERHEAD: Final = 10
_METADATA_TIMEOUT_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 1.0
_NO_LIMITS: Final[Mapping[str, int]] = MappingProxyType({})


class Publisher:
    """One producer (`acks=all`) for the stages of a process. Start and stop it with the event loop it is
    used in.

    `limits`: full topic name to its `max.message.bytes` (`topics.declaration.size_limits`);
    `max_record_bytes` applies to every topic besides. `idempotent` None: when the broker can (Tansu cannot,
    through aiokafka 0.14); the price of going without is that a lost reply may write a batch twice, which
    readers drop by id.
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        client_id: str = "claimstream",
        limits: Mapping[str, int] = _NO_LIMITS,
        max_record_bytes: int = 8 * 1024 * 1024,
        idempotent: bool | None = None,
        max_batch_bytes: int = 256 * 1024,
        timeout_s: float = 30.0,
    ) -> None:
        self._bootstrap = bootstrap
        self._client_id = client_id
        self._limits = limits
        self._max_record_bytes = max_record_bytes
        self._idempotent = idempotent
        self._max_batch_bytes = max_batch_bytes
        self._timeout_s = timeout_s
        self._producer: AIOKafkaProducer | None = None
        self._replacing = asyncio.Lock()

    async def start(self) -> None:
        """Connect. Raises TransientError when no broker answers."""
        await self._connected()

    async def stop(self) -> None:
        """Send nothing more and disconnect."""
        producer, self._producer = self._producer, None
        if producer is not None:
            await producer.stop()

    def refuse_too_large(self, record: OutRecord) -> None:
        """Raises RecordTooLarge when the broker would refuse `record` for its size."""
        limit = min(self._limits.get(record.topic, self._max_record_bytes), self._max_record_bytes)
        size = size_bytes(record)
        if size > limit:
            raise RecordTooLarge(
                f"a record of {size:,} bytes for {record.topic} is over the limit of {limit:,} bytes: split it, or "
                "raise CLAIMSTREAM_MAX_RECORD_BYTES and the topic's max.message.bytes"
            )

    async def publish(self, records: Sequence[OutRecord]) -> None:
        """Write all records and wait until all are confirmed.

        Raises RecordTooLarge before anything is sent; TransientError when the broker is away or refuses for
        now (call again with the same records); ConfigurationError when a topic is missing or not allowed.
        """
        if not records:
            return
        for record in records:
            self.refuse_too_large(record)
        producer = await self._connected()
        try:
            waves = await self._batches(producer, records)
            while waves:
                await self._send_wave(producer, waves)
        except (UnknownTopicOrPartitionError, InvalidTopicError, TopicAuthorizationFailedError) as exc:
            raise ConfigurationError(
                f"cannot write to {sorted({r.topic for r in records})} at {self._bootstrap} "
                f"({type(exc).__name__}): run `claimstream topics create`, or check the rights"
            ) from exc
        except (MessageSizeTooLargeError, RecordListTooLargeError) as exc:
            raise RecordTooLarge(
                f"the broker refused a record for {sorted({r.topic for r in records})} for its size: its "
                "max.message.bytes is below the declared one; run `claimstream topics describe`"
            ) from exc
        except (KafkaError, TimeoutError, OSError, asyncio.CancelledError) as exc:
            task = asyncio.current_task()
            if isinstance(exc, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            # Another call replaces the producer we share: what we wait for is cancelled, and we are not.
            await self._replace(producer)
            raise TransientError(
                f"the broker at {self._bootstrap} did not confirm {len(records)} records "
                f"({type(exc).__name__}: {exc})"
            ) from exc

    async def _connected(self) -> AIOKafkaProducer:
        async with self._replacing:
            if self._producer is not None:
                return self._producer
            if self._idempotent is None:
                self._idempotent = await self._broker_is_idempotent()
            self._producer = await self._open(self._idempotent)
            return self._producer

    async def _broker_is_idempotent(self) -> bool:
        sender_log = logging.getLogger("aiokafka.producer.sender")
        level = sender_log.level
        sender_log.setLevel(logging.CRITICAL)  # it prints a trace for a broker that merely lacks the request
        try:
            await (await self._open(True)).stop()
        except TransientError as exc:
            if not isinstance(exc.__cause__, UnknownError | UnsupportedVersionError):
                raise
            log.info("the broker at %s has no idempotent producer; going without", self._bootstrap)
            return False
        finally:
            sender_log.setLevel(level)
        return True

    async def _open(self, idempotent: bool) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(
            bootstrap_servers=self._bootstrap,
            client_id=self._client_id,
            acks="all",
            enable_idempotence=idempotent,
            max_batch_size=self._max_batch_bytes,
            request_timeout_ms=int(self._timeout_s * 1000),
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                await producer.start()
        except (KafkaError, TimeoutError, OSError) as exc:
            await _discard(producer)
            raise TransientError(
                f"no Kafka broker answered at {self._bootstrap} ({type(exc).__name__}: {exc}); start one, for "
                "example with `claimstream dev`, or set CLAIMSTREAM_BOOTSTRAP"
            ) from exc
        return producer

    async def _replace(self, broken: AIOKafkaProducer) -> None:
        """After an idempotent producer lost a batch its sender is dead for good; a new one costs milliseconds."""
        if self._producer is not broken:
            return  # another call that shares it did
        self._producer = None
        # In a task of its own: closing lets out the cancellation of the tasks it ends, which is not ours.
        await asyncio.wait({asyncio.ensure_future(_discard(broken))})

    async def _batches(
        self, producer: AIOKafkaProducer, records: Sequence[OutRecord]
    ) -> dict[tuple[str, int], deque[BatchBuilder]]:
        """(topic, partition) to its batches in the order of the records."""
        counts: dict[str, int] = {}
        batches: dict[tuple[str, int], deque[BatchBuilder]] = {}
        for record in records:
            topic = record.topic
            if topic not in counts:
                counts[topic] = await self._partitions(producer, topic)
            waiting = batches.setdefault((topic, partition_of(record.key, counts[topic])), deque())
            if not waiting or not _append(waiting[-1], record):
                waiting.append(producer.create_batch())
                if not _append(waiting[-1], record):
                    raise RecordTooLarge(f"a record for {topic} does not fit into an empty batch")
        return batches

    async def _partitions(self, producer: AIOKafkaProducer, topic: str) -> int:
        try:
            async with asyncio.timeout(min(_METADATA_TIMEOUT_S, self._timeout_s / 2)):
                return len(await producer.partitions_for(topic))
        except TimeoutError:
            # aiokafka says "unknown topic" also when no broker answers: ask once more to tell them apart.
            if await producer.client.force_metadata_update():
                raise UnknownTopicOrPartitionError() from None
            raise

    async def _send_wave(
        self, producer: AIOKafkaProducer, waves: dict[tuple[str, int], deque[BatchBuilder]]
    ) -> None:
        """Send the first batch of every partition, wait for all, take them off."""
        confirmations = []
        for (topic, partition), waiting in list(waves.items()):
            batch = waiting.popleft()
            batch.close()
            confirmation = await producer.send_batch(batch, topic, partition=partition)
            confirmation.add_done_callback(_retrieve)
            confirmations.append(confirmation)
            if not waiting:
                del waves[topic, partition]
        done, pending = await asyncio.wait(confirmations, timeout=self._timeout_s)
        for confirmation in done:
            confirmation.result()
        if pending:
            raise TimeoutError(f"{len(pending)} batches without an answer after {self._timeout_s:g} s")


def size_bytes(record: OutRecord) -> int:
    """Bytes the record takes on the broker, rounded up, uncompressed."""
    headers = sum(len(name.encode()) + len(value) + _HEADER_OVERHEAD for name, value in record.headers)
    return len(record.key) + len(record.value) + headers + _BATCH_OVERHEAD


def _append(batch: BatchBuilder, record: OutRecord) -> bool:
    added = batch.append(timestamp=None, key=record.key, value=record.value, headers=list(record.headers))
    return added is not None


def _retrieve(confirmation: asyncio.Future[object]) -> None:
    """Look at the outcome, also of a batch nobody waits for any more: asyncio complains otherwise."""
    if not confirmation.cancelled():
        confirmation.exception()


async def _discard(producer: AIOKafkaProducer) -> None:
    """Close a producer that may hold batches it can never deliver: its own `stop` would wait for them for
    ever.
    """
    producer._closed = True
    for close in (producer.client.close, producer._sender.close):
        with contextlib.suppress(Exception, asyncio.CancelledError):
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await close()
