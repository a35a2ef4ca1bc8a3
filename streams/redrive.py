"""Dead letters, read back from their topic, and sent again to where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from schemas.base import read_object
from schemas.control_records import CONTROL_TOPIC
from schemas.errors import PoisonError
from schemas.facts import FactsExtracted
from schemas.ids import event_uuid
from schemas.inbox_records import INBOX_TOPIC
from sinks.ledger_reads import LedgerReads
from streams.dead_letters import PREFIX
from streams.stage import InRecord, OutRecord
from streams.stages.extract import read_input

#: Header of a record that was sent again, with the count of times it was given up before.
ATTEMPTS: Final = PREFIX + "attempts"


@dataclass(frozen=True, slots=True)
class Dead:
    """One dead letter. `record` is as it lies on the dead-letter topic: the original key, bytes and headers."""

    record: InRecord
    stage: str
    origin_topic: str
    origin_partition: int
    origin_offset: int
    #: Which part of the record failed, where parts fail singly.
    item: int
    error_class: str
    error: str
    attempts: int

    @property
    def name(self) -> str:
        """`partition/offset` on the dead-letter topic."""
        return f"{self.record.partition}/{self.record.offset}"

    @property
    def at(self) -> datetime:
        """When it was given up."""
        return datetime.fromtimestamp(self.record.timestamp_ms / 1000, UTC)

    @property
    def content(self) -> tuple[str, bytes, bytes]:
        """What makes two dead letters the same record: topic, key and bytes."""
        return self.origin_topic, self.record.key or b"", self.record.value or b""


def dead_of(record: InRecord) -> Dead | None:
    """The dead letter in a record of the topic; None for a record that no stage of ours wrote."""
    ours = {
        name: value.decode("utf-8", "replace") for name, value in record.headers if name.startswith(PREFIX)
    }
    try:
        return Dead(
            record,
            stage=ours[PREFIX + "stage"],
            origin_topic=ours[PREFIX + "origin_topic"],
            origin_partition=int(ours[PREFIX + "origin_partition"]),
            origin_offset=int(ours[PREFIX + "origin_offset"]),
            item=int(ours[PREFIX + "item"]),
            error_class=ours[PREFIX + "error_class"],
            error=ours[PREFIX + "error"],
            attempts=int(ours[ATTEMPTS]),
        )
    except (KeyError, ValueError):
        return None


def again(dead: Dead) -> OutRecord:
    """The original record, for its own topic. It carries the count of attempts, so that one more says one more."""
    kept = tuple((name, value) for name, value in dead.record.headers if not name.startswith(PREFIX))
    return OutRecord(
        dead.origin_topic,
        dead.record.key or b"",
        dead.record.value or b"",
        (*kept, (ATTEMPTS, str(dead.attempts).encode())),
    )


def newest(found: Iterable[Dead]) -> list[Dead]:
    """One for each record: parts of one record and repeated attempts are sent once, as the latest attempt."""
    kept: dict[tuple[str, bytes, bytes], Dead] = {}
    for dead in found:
        before = kept.get(dead.content)
        if before is None or dead.attempts >= before.attempts:
            kept[dead.content] = dead
    return list(kept.values())


async def processed(reads: LedgerReads, found: Sequence[Dead]) -> set[str]:
    """The names of those whose record, by the ledger, was processed after all: to send them again changes nothing.

    A record that cannot be read, or of a stage that keeps no rows of its own, is never among them.
    """
    wanted = {dead.name: (dead.stage, _ids(dead)) for dead in found}
    by_stage: dict[str, list[UUID]] = {}
    for stage, ids in wanted.values():
        by_stage.setdefault(stage, []).extend(ids)
    known: Mapping[str, set[UUID]] = {
        stage: await reads.processed(stage, ids) for stage, ids in by_stage.items() if ids
    }
    return {name for name, (stage, ids) in wanted.items() if ids and known[stage].issuperset(ids)}


def _ids(dead: Dead) -> list[UUID]:
    """The keys under which the stage keeps what it made of the record."""
    raw = dead.record.value
    try:
        if dead.stage == "extract":
            event = read_input(raw)
            return [event_uuid(event.tenant, event.source, event.event_id)]
        if dead.stage == "resolve":
            facts = FactsExtracted.from_json(raw)
            return [facts.id_of(fact) for fact in facts.content.facts]
        body = read_object(raw)
        kind = str(body.get("type"))
        if dead.stage == "adjudicate" and kind in INBOX_TOPIC:
            return [INBOX_TOPIC[kind].from_object(body).id]
        if dead.stage == "control" and kind in CONTROL_TOPIC:
            said = CONTROL_TOPIC[kind].from_object(body)
            return [event_uuid(said.tenant, said.source, said.event_id)]
    except PoisonError:
        pass
    return []
