"""The path on which no record is lost and none counts twice: one transaction per batch and partition.

In the transaction, in this order: lock the progress row (state is read after it), leave out what is done, look into a
gap, apply, queue the outgoing records, advance the progress. After the commit: publish, move the cursor, return; only
then does the runner let the batch be acknowledged. Whatever fails on the way, the same batch comes again, and the
progress row says how much of it is done: also when the commit went through and only its answer was lost, and also
when another worker has taken the partition over in the meantime.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Protocol

from schemas.errors import IntegrityError, PoisonError, RecordTooLarge
from sinks.ports import Ledger, LogKey, Progress, Transaction
from streams import transactional_metrics as metrics
from streams.dead_letters import DeadLetter, dead_record, dead_row
from streams.kafka_log import PartitionLog, record_hash
from streams.log_checks import refuse_another_log
from streams.publisher import size_bytes
from streams.stage import InRecord, OutRecord

__all__ = ["Applied", "DeadLetter", "Handler", "RecordPublisher", "TransactionalStage"]

log = logging.getLogger(__name__)

_PAGE: Final = 1000
_NO_LIMITS: Final[Mapping[str, int]] = MappingProxyType({})
#: A record with what `prepare` made of it.
Item = tuple[InRecord, Any]


@dataclass(slots=True)
class Applied:
    """What a batch brought about: records to publish, in order, and parts of its records that are given up."""

    outgoing: list[OutRecord] = field(default_factory=list)
    dead: list[tuple[InRecord, DeadLetter]] = field(default_factory=list)


class Handler(Protocol):
    """What one stage does. It never commits, publishes or acknowledges."""

    async def prepare(self, records: Sequence[InRecord]) -> Sequence[Any]:
        """One result per record, in order, outside the transaction: decoding and calls of models.

        A record that can never be processed gives a DeadLetter. TransientError: the batch comes again.
        """
        ...

    async def apply(self, tx: Transaction, items: Sequence[Any]) -> Applied:
        """The effects, inside the transaction. `items` are (record, prepared) without the dead letters.

        PoisonError: the items come again one by one, and the one that still raises it becomes a dead letter.
        """
        ...


class RecordPublisher(Protocol):
    async def publish(self, records: Sequence[OutRecord]) -> None:
        """Returns when the broker has all of them. Raises TransientError."""
        ...


class TransactionalStage:
    """A `streams.stage.Stage` around a Handler. The ledger and the publisher are opened by who made them."""

    def __init__(
        self,
        name: str,
        input_topic: str,
        handler: Handler,
        ledger: Ledger,
        publisher: RecordPublisher,
        *,
        dead_letter_topic: str,
        max_batch: int = 500,
        source: PartitionLog | None = None,
        limits: Mapping[str, int] = _NO_LIMITS,
        linger_s: float | None = None,
        concurrent_partitions: int = 1,
    ) -> None:
        """`source` None (no broker): the log is taken as it comes, no gap is looked into.

        `limits`: topic to the bytes of its largest record; a larger one makes its source record a dead letter.
        """
        self.name = name
        self.input_topic = input_topic
        self.max_batch = max_batch
        self.linger_s = linger_s
        #: Partitions have nothing in common but the stores: while one waits for a model or a disk, another goes on.
        self.concurrent_partitions = concurrent_partitions
        self._handler = handler
        self._ledger = ledger
        self._publisher = publisher
        self._dead_letter_topic = dead_letter_topic
        self._source = source
        self._limits = limits
        #: Per partition the offset before which everything is done and published. Unknown after any error.
        self._done: dict[LogKey, int] = {}

    async def start(self) -> None:
        """Raises IntegrityError when the topic is of another cluster or has another number of partitions."""
        if self._source is not None:
            found = await self._source.identity(self.input_topic)
            await self._ledger.register_log(self.name, self.input_topic, found.cluster_id, found.partitions)

    async def stop(self) -> None: ...

    async def process(self, partition_batch: Sequence[InRecord]) -> None:
        """See Stage. Raises IntegrityError on a gap with records in it and on a log that was made anew."""
        place = LogKey(self.name, partition_batch[0].topic, partition_batch[0].partition)
        if place not in self._done:
            self._done[place] = await self._take_over(place)
        records = [record for record in partition_batch if record.offset >= self._done[place]]
        if records:
            prepared = await self._handler.prepare(records)
            await self._settle(place, list(zip(records, prepared, strict=True)))

    async def _take_over(self, place: LogKey) -> int:
        """Publishes what the former owner (or a failed try of our own) left; returns the next offset."""
        progress = await self._ledger.progress(place)
        if progress is None:
            return 0
        if self._source is not None:
            await refuse_another_log(self._source, place, progress)
        await self._publish_left(place, progress)
        return progress.next_offset

    async def _settle(self, place: LogKey, items: Sequence[Item]) -> None:
        try:
            await self._commit(place, items)
        except PoisonError as error:
            if len(items) > 1:
                for item in items:
                    await self._settle(place, [item])
                return
            record, prepared = items[0]
            if isinstance(prepared, DeadLetter):
                raise IntegrityError(f"{self.name}: a dead letter cannot be written: {error}") from error
            await self._settle(place, [(record, DeadLetter(error))])

    async def _commit(self, place: LogKey, items: Sequence[Item]) -> None:
        known = self._done.pop(place, None)
        async with self._ledger.transaction(place) as tx:
            progress = tx.progress
            todo = [item for item in items if item[0].offset >= progress.next_offset]
            if todo:
                await self._refuse_gap(place, progress.next_offset, todo[0][0].offset)
                outgoing = await self._apply(tx, todo)
                last = todo[-1][0]
                await tx.enqueue(last.offset, outgoing)
                await tx.advance(last.offset + 1, last.offset, record_hash(last))
        if not todo or (known is not None and progress.next_offset > known):
            self._lost_fence(place, known, progress, len(items) - len(todo))
        if not todo:
            await self._publish_left(place, progress)
            self._done[place] = progress.next_offset
            return
        end = todo[-1][0].offset + 1
        if progress.published_offset < progress.next_offset:
            await self._publish_left(place, Progress(end, published_offset=progress.published_offset))
        else:
            await self._publish(place, outgoing, end)
        self._done[place] = end

    async def _apply(self, tx: Transaction, items: Sequence[Item]) -> list[OutRecord]:
        """The outgoing records: those of the handler, then the dead letters."""
        alive = [item for item in items if not isinstance(item[1], DeadLetter)]
        dead = [(record, letter) for record, letter in items if isinstance(letter, DeadLetter)]
        tx.count("received", n=len(items))
        applied = await self._handler.apply(tx, alive) if alive else Applied()
        self._refuse_too_large(applied.outgoing)
        dead += applied.dead
        for record, letter in dead:
            error = type(letter.error).__name__
            tx.count("dead_lettered", error)
            log.warning(
                "%s: %s/%s offset %s is a dead letter: %s: %s", *tx.log, record.offset, error, letter.error
            )
        for record_out in applied.outgoing:
            tx.count("emitted", record_out.topic)
        await tx.dead_letters([dead_row(record, letter) for record, letter in dead])
        letters = [dead_record(record, letter, self.name, self._dead_letter_topic) for record, letter in dead]
        return applied.outgoing + letters

    def _refuse_too_large(self, outgoing: Sequence[OutRecord]) -> None:
        # Before the commit: a committed record that the broker refuses would stop the partition for good.
        for record in outgoing:
            limit = self._limits.get(record.topic)
            if limit is not None and size_bytes(record) > limit:
                raise RecordTooLarge(
                    f"what follows from it has {size_bytes(record):,} bytes, {record.topic} takes {limit:,}"
                )

    async def _refuse_gap(self, place: LogKey, expected: int, first: int) -> None:
        if first <= expected or self._source is None:
            return
        # Transaction markers, compaction and retention leave gaps too; a record in one was never processed.
        if await self._source.has_records(place.topic, place.partition, expected, first):
            raise IntegrityError(
                f"gap: {self.name} is at offset {expected} of {place.topic}/{place.partition} and was given {first}, "
                "although there are records between; nothing was changed. Were the group's offsets moved by hand? "
                f"Set group offsets back to {expected}, or replay into a fresh schema"
            )

    def _lost_fence(self, place: LogKey, known: int | None, progress: Progress, n: int) -> None:
        # Not an error: a rebalance under way, or our own commit whose answer was lost.
        metrics.FENCE_LOST.labels(self.name).inc()
        log.info(
            "%s: %s/%s is at %s, expected %s; %s records were done already",
            *place,
            progress.next_offset,
            known,
            n,
        )

    async def _publish_left(self, place: LogKey, progress: Progress) -> None:
        """Everything of the outbox from the cursor on, in order."""
        if progress.published_offset >= progress.next_offset:
            return
        while rows := await self._ledger.unpublished(place, _PAGE):
            records = [OutRecord(row.topic, row.key, row.value, row.headers) for row in rows]
            await self._publish(place, records, rows[-1].source_offset + 1)
        await self._ledger.mark_published(place, progress.next_offset)

    async def _publish(self, place: LogKey, records: Sequence[OutRecord], end: int) -> None:
        if records:
            await self._publisher.publish(records)
            metrics.emitted(self.name, records)
        await self._ledger.mark_published(place, end)
