"""The path on which no record is lost and none counts twice: one transaction per batch, whatever its partitions.

In the transaction, in this order: lock the progress rows (state is read after them), leave out what is done, look into
gaps, apply, queue the outgoing records, advance the progress. After the commit: publish, move the cursors, return; only
then does the runner let the batch be acknowledged. Whatever fails on the way, the same batch comes again, and the
progress rows say how much of it is done: also when the commit went through and only its answer was lost, and also
when another worker has taken a partition over in the meantime. Order, fence and outbox are a partition's own; the
partitions of a batch share the transaction because its fixed cost is paid once then (docs/decisions/0012).
"""

from __future__ import annotations

import logging
from collections import Counter
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
    """What a batch brought about: records to publish, and parts of its records that are given up.

    Both with the record they are because of: they belong to its partition, whose owner publishes them, in order.
    """

    outgoing: list[tuple[InRecord, OutRecord]] = field(default_factory=list)
    dead: list[tuple[InRecord, DeadLetter]] = field(default_factory=list)

    def send(self, because: InRecord, *records: OutRecord) -> None:
        """Adds records to publish."""
        self.outgoing += [(because, record) for record in records]


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
    ) -> None:
        """`source` None (no broker): the log is taken as it comes, no gap is looked into.

        `limits`: topic to the bytes of its largest record; a larger one makes its source record a dead letter.
        """
        self.name = name
        self.input_topic = input_topic
        self.max_batch = max_batch
        self.linger_s = linger_s
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

    async def process(self, batch: Sequence[InRecord]) -> None:
        """See Stage. Raises IntegrityError on a gap with records in it and on a log that was made anew."""
        for place in dict.fromkeys(map(self._place, batch)):
            if place not in self._done:
                self._done[place] = await self._take_over(place)
        records = [record for record in batch if record.offset >= self._done[self._place(record)]]
        if records:
            prepared = await self._handler.prepare(records)
            await self._settle(list(zip(records, prepared, strict=True)))

    def _place(self, record: InRecord) -> LogKey:
        return LogKey(self.name, record.topic, record.partition)

    async def _take_over(self, place: LogKey) -> int:
        """Publishes what the former owner (or a failed try of our own) left; returns the next offset."""
        progress = await self._ledger.progress(place)
        if progress is None:
            return 0
        if self._source is not None:
            await refuse_another_log(self._source, place, progress)
        await self._publish_left(place, progress.next_offset, progress.published_offset)
        return progress.next_offset

    async def _settle(self, items: Sequence[Item]) -> None:
        try:
            await self._commit(items)
        except PoisonError as error:
            if len(items) > 1:
                for item in items:
                    await self._settle([item])
                return
            record, prepared = items[0]
            if isinstance(prepared, DeadLetter):
                raise IntegrityError(f"{self.name}: a dead letter cannot be written: {error}") from error
            await self._settle([(record, DeadLetter(error))])

    async def _commit(self, items: Sequence[Item]) -> None:
        known = {place: self._done.pop(place, None) for place in {self._place(record) for record, _ in items}}
        outgoing: dict[LogKey, list[OutRecord]] = {}
        async with self._ledger.transaction(*known) as tx:
            before = tx.progress
            todo = [item for item in items if item[0].offset >= before[self._place(item[0])].next_offset]
            first = {self._place(record): record for record, _ in reversed(todo)}
            last = {self._place(record): record for record, _ in todo}
            for place, record in first.items():
                await self._refuse_gap(place, before[place].next_offset, record.offset)
            if todo:
                outgoing = await self._apply(tx, todo)
            for place, record in last.items():
                await tx.enqueue(place, record.offset, outgoing.get(place, ()))
                await tx.advance(place, _after(record, before[place], sends=place in outgoing))
        self._tell_lost_fences(known, before, items, todo)
        ends = {place: row.next_offset for place, row in before.items()}
        ends |= {place: record.offset + 1 for place, record in last.items()}
        left = [place for place, row in before.items() if row.published_offset < row.next_offset]
        for place in left:
            await self._publish_left(place, ends[place], before[place].published_offset)
        await self._publish({place: rows for place, rows in outgoing.items() if place not in left}, ends)
        self._done.update(ends)

    async def _apply(self, tx: Transaction, items: Sequence[Item]) -> dict[LogKey, list[OutRecord]]:
        """The outgoing records of each partition that has any: those of the handler, then the dead letters."""
        alive = [item for item in items if not isinstance(item[1], DeadLetter)]
        dead = [(record, letter) for record, letter in items if isinstance(letter, DeadLetter)]
        tx.count("received", n=len(items))
        applied = await self._handler.apply(tx, alive) if alive else Applied()
        self._refuse_too_large([record for _, record in applied.outgoing])
        for topic, n in Counter(record.topic for _, record in applied.outgoing).items():
            tx.count("emitted", topic, n)
        dead += applied.dead
        for record, letter in dead:
            await self._bury(tx, record, letter)
            applied.send(record, dead_record(record, letter, self.name, self._dead_letter_topic))
        outgoing: dict[LogKey, list[OutRecord]] = {}
        for because, record_out in applied.outgoing:
            outgoing.setdefault(self._place(because), []).append(record_out)
        return outgoing

    async def _bury(self, tx: Transaction, record: InRecord, letter: DeadLetter) -> None:
        error = type(letter.error).__name__
        tx.count("dead_lettered", error)
        place = self._place(record)
        await tx.dead_letters(place, [dead_row(record, letter)])
        log.warning(
            "%s: %s/%s offset %s is a dead letter: %s: %s", *place, record.offset, error, letter.error
        )

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

    def _tell_lost_fences(
        self,
        known: Mapping[LogKey, int | None],
        found: Mapping[LogKey, Progress],
        items: Sequence[Item],
        todo: Sequence[Item],
    ) -> None:
        # Not an error: a rebalance under way, or our own commit whose answer was lost.
        given, left = (Counter(self._place(record) for record, _ in some) for some in (items, todo))
        for place, progress in found.items():
            before = known[place]
            if left[place] and (before is None or progress.next_offset <= before):
                continue
            metrics.FENCE_LOST.labels(self.name).inc()
            log.info(
                "%s: %s/%s is at %s, expected %s; %s records were done already",
                *place,
                progress.next_offset,
                before,
                given[place] - left[place],
            )

    async def _publish_left(self, place: LogKey, end: int, published: int) -> None:
        """Everything of the outbox from the cursor (`published`) up to `end`, in order."""
        if published >= end:
            return
        while rows := await self._ledger.unpublished(place, _PAGE):
            records = [OutRecord(row.topic, row.key, row.value, row.headers) for row in rows]
            await self._publish({place: records}, {place: rows[-1].source_offset + 1})
        await self._ledger.mark_published({place: end})

    async def _publish(
        self, outgoing: Mapping[LogKey, Sequence[OutRecord]], ends: Mapping[LogKey, int]
    ) -> None:
        """All together, then the cursors of those partitions."""
        records = [record for rows in outgoing.values() for record in rows]
        if records:
            await self._publisher.publish(records)
            metrics.emitted(self.name, records)
            await self._ledger.mark_published({place: ends[place] for place in outgoing})


def _after(last: InRecord, before: Progress, *, sends: bool) -> Progress:
    """The progress behind the last record. With nothing to send, the cursor needs no move of its own."""
    end = last.offset + 1
    published = before.published_offset
    if not sends and published >= before.next_offset:
        published = end
    return Progress(end, last.offset, record_hash(last), published)
