"""timekeeper: moments that have come, out as records into the inboxes. Driven by a clock, not by a topic.

A tick is handled like a record of a log of its own, so that the moments of a tick leave the ledger in the transaction
that puts their records into the outbox: none is lost, whatever fails. Two timekeepers wait for each other at the
progress row. A moment that is sent twice all the same has the same id, and adjudicate takes it once.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from processors.deciding.model import DueAt
from schemas.commands import Due
from schemas.errors import IntegrityError, TransientError
from schemas.ids import derived_id
from sinks.ports import Ledger, LogKey, Progress, Transaction
from streams.runner import Runner
from streams.stage import InRecord
from streams.stages.outgoing import inbox_record
from streams.transactional import Applied, RecordPublisher, TransactionalStage
from topics.declaration import size_limits, topic_name

log = logging.getLogger(__name__)

NAME: Final = "timekeeper"
#: The "topic" of its ticks in the ledger's progress; no broker has it.
TICKS: Final = "ticks"
POLL_S: Final = 2.0
_PAGE: Final = 500
#: Ticks after which a moment that stays due is a fault and no coincidence.
_STUCK: Final = 20
_PLACE: Final = LogKey(NAME, TICKS, 0)

Clock = Callable[[], datetime]


class Timekeeper:
    """Sends what is due. ``clock`` gives the time with its zone."""

    def __init__(self, ledger: Ledger, publisher: RecordPublisher, clock: Clock, prefix: str) -> None:
        self._ledger = ledger
        self._clock = clock
        self._stage = TransactionalStage(
            NAME,
            TICKS,
            _Ticks(prefix),
            ledger,
            publisher,
            dead_letter_topic=topic_name("deadletters", prefix),
            max_batch=1,
            limits=size_limits(prefix),
        )
        self._runner = Runner(self._stage)

    async def tick(self) -> int:
        """Sends all that is due now; returns how many ticks that took.

        Raises TransientError; IntegrityError when what was sent stays due, instead of sending it for ever.
        """
        now, ticks = self._clock(), 0
        first: DueAt | None = None
        again = 0
        while True:
            progress = await self._ledger.progress(_PLACE) or Progress()
            # What another timekeeper committed and did not publish is published by the next tick, whoever's it is.
            left = progress.published_offset < progress.next_offset
            async with self._ledger.snapshot() as reads:
                due = await reads.due_before(now, 1)
            if not left and not due:
                return ticks
            again = again + 1 if due and due[0] == first else 0
            first = due[0] if due else None
            if again == _STUCK:
                raise IntegrityError(
                    f"{due[0].what} of {due[0].target} was sent {_STUCK} times and is still due"
                )
            await self._runner.run([_tick(progress.next_offset, now)])
            ticks += 1


async def run(
    ledger: Ledger,
    publisher: RecordPublisher,
    clock: Clock,
    stop: asyncio.Event,
    *,
    prefix: str,
    poll_s: float = POLL_S,
) -> None:
    """Ticks every ``poll_s`` seconds until ``stop``. A store or broker that is away is waited for."""
    keeper = Timekeeper(ledger, publisher, clock, prefix)
    while not stop.is_set():
        try:
            await keeper.tick()
        except TransientError as error:
            log.warning("timekeeper: %s; tried again in %s s", error, poll_s)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), poll_s)


def now() -> datetime:
    """The clock of a real timekeeper."""
    return datetime.now(UTC)


def due_record(row: DueAt) -> Due:
    """The inbox record of a moment. Its event time is the moment, so it is the same whoever sends it, and when."""
    at = cast(datetime, row.at)
    name = f"{row.what}:{at.astimezone(UTC).isoformat()}"
    return Due.model_validate(
        {
            "tenant": row.owner.tenant,
            "entity": row.owner.entity,
            "id": derived_id(row.target, name),
            "source": NAME,
            "event_id": f"{row.target}:{name}",
            "event_time": at,
            "received_at": at,
            "what": row.what,
            "target": row.target,
            "due_at": at,
        }
    )


def _tick(offset: int, now: datetime) -> InRecord:
    return InRecord(TICKS, 0, offset, None, now.isoformat().encode())


class _Ticks:
    """The handler of the ticks."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[datetime]:
        return [datetime.fromisoformat((record.value or b"").decode()) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, datetime]]) -> Applied:
        applied = Applied()
        for tick, moment in items:
            rows = await tx.due_before(moment, _PAGE)
            await tx.mark_due_sent(rows)
            applied.send(tick, *(inbox_record(due_record(row), self._prefix) for row in rows))
        return applied
