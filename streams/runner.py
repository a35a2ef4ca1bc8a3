"""The ack rule, with no Kafka client and no Faust in it.

`Runner.run` returns only when every record of the batch has its effects durable and published. The caller
then acknowledges the batch as a whole, or, when `run` raised, acknowledges nothing and ends the process.
There is no third way: a client that goes on past an unacknowledged record may commit past it, and the
record is lost.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from schemas.errors import IntegrityError, TransientError
from streams import metrics
from streams.backoff import Backoff
from streams.stage import InRecord, Stage

log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: Are there records of (topic, partition) with first <= offset < end?
GapProbe = Callable[[str, int, int, int], Awaitable[bool]]


class RecordsSkipped(IntegrityError):
    """The client passed over records of a partition; the process ends and reads them again from the last
    commit.
    """


class RetriesExhausted(IntegrityError):
    """A batch failed as often as `max_tries` allows; the process ends and the batch comes again."""


class StrayCancellation(IntegrityError):
    """Something inside a stage was cancelled and let it out; the process ends and the batch comes again."""


class Runner:
    """Runs the batches of one stage. One instance per stage and process; `run` is never called
    concurrently.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        backoff: Backoff | None = None,
        max_tries: int | None = None,
        gap_has_records: GapProbe | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`max_tries` None: for ever. `gap_has_records` None: offsets are taken as they come (an in-process
        driver).
        """
        self._stage = stage
        self._backoff = backoff or Backoff()
        self._max_tries = max_tries
        self._gap_has_records = gap_has_records
        self._sleep = sleep
        self._next_offset: dict[tuple[str, int], int] = {}
        self._forgotten = 0

    async def run(self, batch: Sequence[InRecord]) -> bool:
        """Process `batch` (any partitions, offset order within each), trying again in place on
        TransientError.

        True: all done, acknowledge the batch. False: `forget` was called meanwhile, the partitions may have
        another owner; acknowledge nothing, the batch comes again. Raises RecordsSkipped, RetriesExhausted,
        StrayCancellation and whatever else the stage raises; then nothing may be acknowledged either.
        """
        partitions = by_partition(batch)
        forgotten = self._forgotten
        for (topic, partition), records in partitions.items():
            await self._refuse_skipped(topic, partition, records)
        if batch and forgotten == self._forgotten:
            await self._until_done(batch)
        if forgotten != self._forgotten:
            return False
        for (topic, partition), records in partitions.items():
            self._next_offset[topic, partition] = records[-1].offset + 1
        return True

    def knows(self, topic: str, partition: int) -> bool:
        """Is there an expectation of the partition's next offset?"""
        return (topic, partition) in self._next_offset

    def expect(self, topic: str, partition: int, offset: int) -> None:
        """The next record of the partition should be at `offset` (what was committed; 0 when nothing was)."""
        self._next_offset[topic, partition] = offset

    def forget(self) -> None:
        """Drop all expectations, at a rebalance: another member may move the partitions on."""
        self._forgotten += 1
        self._next_offset.clear()

    async def _refuse_skipped(self, topic: str, partition: int, records: Sequence[InRecord]) -> None:
        if self._gap_has_records is None:
            return
        # Gaps without records are normal: transaction markers, compaction, retention.
        expected = self._next_offset.get((topic, partition))
        for record in records:
            first = record.offset if expected is None else expected
            if record.offset > first and await self._has_records(topic, partition, first, record.offset):
                metrics.CRASHED.labels(self._stage.name).inc()
                raise RecordsSkipped(
                    f"{self._stage.name}: {topic}/{partition} goes from offset {first} to {record.offset} "
                    "although there are records between; nothing of this batch was acknowledged, restart"
                )
            expected = record.offset + 1

    async def _has_records(self, topic: str, partition: int, first: int, end: int) -> bool:
        async def ask() -> bool:
            assert self._gap_has_records is not None
            return await self._gap_has_records(topic, partition, first, end)

        return await self._again_while_transient(
            ask, f"{topic}/{partition} looking at offsets {first}-{end - 1}"
        )

    async def _until_done(self, records: Sequence[InRecord]) -> None:
        name = self._stage.name
        metrics.RECEIVED.labels(name).inc(len(records))
        started = time.perf_counter()
        await self._again_while_transient(lambda: self._stage.process(records), spans(records))
        metrics.BATCH_SECONDS.labels(name).observe(time.perf_counter() - started)
        metrics.ACKED.labels(name).inc(len(records))

    async def _again_while_transient(self, call: Callable[[], Awaitable[Result]], what: str) -> Result:
        name = self._stage.name
        tries = 0
        while True:
            try:
                return await call()
            except TransientError as exc:
                tries += 1
                if self._max_tries is not None and tries >= self._max_tries:
                    raise RetriesExhausted(f"{name}: {what}: gave up after {tries} tries: {exc}") from exc
                delay_s = self._backoff.delay_s(tries)
                metrics.RETRIED.labels(name).inc()
                log.warning(
                    "%s: %s failed (try %s): %s; trying again in %.1f s", name, what, tries, exc, delay_s
                )
                await self._sleep(delay_s)
            except asyncio.CancelledError as exc:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # Nobody cancelled us: a client let its own cancellation out. It must not pass for an
                # orderly end, which a task group would take it for: the batch would be acknowledged undone.
                metrics.CRASHED.labels(name).inc()
                raise StrayCancellation(f"{name}: {what}: cancelled from inside") from exc
            except Exception:
                metrics.CRASHED.labels(name).inc()
                raise


def spans(batch: Sequence[InRecord]) -> str:
    """The partitions of a batch and how far it goes in each, for messages."""
    return ", ".join(
        f"{topic}/{partition} offsets {records[0].offset}-{records[-1].offset}"
        for (topic, partition), records in by_partition(batch).items()
    )


def by_partition(batch: Sequence[InRecord]) -> dict[tuple[str, int], list[InRecord]]:
    """(topic, partition) to its records, in the order they came."""
    grouped: dict[tuple[str, int], list[InRecord]] = {}
    for record in batch:
        grouped.setdefault((record.topic, record.partition), []).append(record)
    return grouped
