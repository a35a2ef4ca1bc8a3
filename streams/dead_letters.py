"""A record that can never be processed: its bytes, where they came from and why. Never its text in a header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from schemas.errors import PoisonError
from sinks.ports import DeadLetterRow
from streams.stage import InRecord, OutRecord

#: Of the headers that we add.
PREFIX: Final = "claimstream_"
#: A header is for reading at a glance; the whole story is in the log of the stage.
_MAX_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What `Handler.prepare` returns for such a record. `item` numbers the parts of one record that fail singly;
    `tenant` and `event` (`schemas.ids.event_uuid`, or a fact's id) say whose it was, where that could be read."""

    error: PoisonError
    item: int = 0
    tenant: str = ""
    event: UUID | None = None


def attempts(record: InRecord) -> int:
    """How often the record was given up, this time included: a redriven one carries the count of before."""
    before = dict(record.headers).get(PREFIX + "attempts", b"0")
    return (int(before) if before.isdigit() and len(before) < 10 else 0) + 1


def dead_record(record: InRecord, letter: DeadLetter, stage: str, topic: str) -> OutRecord:
    """The original key, bytes and headers, with our headers behind them."""
    kept = tuple((name, value) for name, value in record.headers if not name.startswith(PREFIX))
    told = {
        "stage": stage,
        "origin_topic": record.topic,
        "origin_partition": str(record.partition),
        "origin_offset": str(record.offset),
        "item": str(letter.item),
        "error_class": type(letter.error).__name__,
        "error": str(letter.error)[:_MAX_MESSAGE],
        "attempts": str(attempts(record)),
    }
    ours = tuple((PREFIX + name, value.encode()) for name, value in told.items())
    return OutRecord(topic, record.key or b"", record.value or b"", kept + ours)


def dead_row(record: InRecord, letter: DeadLetter) -> DeadLetterRow:
    """For the ledger's count."""
    return DeadLetterRow(
        offset=record.offset,
        error_class=type(letter.error).__name__,
        attempts=attempts(record),
        item=letter.item,
        tenant=letter.tenant,
        event=letter.event,
    )
