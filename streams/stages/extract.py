"""extract: turns and records in, one facts record per event out. The first extraction of an event wins."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError

from processors.ports import Extractor
from processors.receiving import RECORD_EXTRACTOR, body_hash, extracted, record_facts, silence, times
from schemas.base import check_version, explain_validation, read_object
from schemas.errors import PoisonError, UnreadableRecord
from schemas.facts import FactsExtracted
from schemas.ids import event_uuid
from schemas.turn import INPUTS, Record, Turn
from sinks.ports import Extraction, Transaction
from streams.stage import InRecord
from streams.stages.outgoing import facts_record
from streams.transactional import Applied, DeadLetter


class OtherBody(PoisonError):
    """An event with this id is known with another body; give a changed event an id of its own."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A readable input with its facts; ``body_hash`` tells a retry from another event under the same id."""

    facts: FactsExtracted
    body_hash: bytes
    clamped: bool


class Extract:
    """The handler of the stage. ``prefix`` is the topic prefix."""

    def __init__(self, extractor: Extractor, prefix: str) -> None:
        self._extractor = extractor
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[Extracted | DeadLetter]:
        read = []
        for record in records:
            read.append(await self._read(record))
            # The offline extractor never waits: without this a batch holds up heartbeats and timers for a second.
            await asyncio.sleep(0)
        return read

    async def _read(self, record: InRecord) -> Extracted | DeadLetter:
        try:
            event = read_input(record.value)
            event_time, received_at, clamped = times(event, record.timestamp_ms)
            if isinstance(event, Record):
                facts, extractor = record_facts(event), RECORD_EXTRACTOR
            else:
                facts, extractor = await self._extractor.extract(event, event_time), self._extractor.id
            made = extracted(
                event,
                facts,
                event_time=event_time,
                received_at=received_at,
                extractor=extractor,
                reason="" if facts else silence(event),
            )
            return Extracted(made, bytes.fromhex(body_hash(event)), clamped)
        except PoisonError as error:
            return DeadLetter(error)

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, Extracted]]) -> Applied:
        ids = [event_uuid(item.facts.tenant, item.facts.source, item.facts.event_id) for _, item in items]
        known = {key: row.body_hash for key, row in (await tx.extractions(ids)).items()}
        applied, rows = Applied(), []
        for key, (record, item) in zip(ids, items, strict=True):
            if key in known:
                if known[key] == item.body_hash:
                    tx.count("discarded", "duplicate_event")
                else:
                    applied.dead.append(
                        (record, DeadLetter(OtherBody(), tenant=item.facts.tenant, event=key))
                    )
                continue
            known[key] = item.body_hash
            out = facts_record(item.facts, self._prefix)
            rows.append(_row(item, key, out.value))
            applied.send(record, out)
            tx.count("extracted", item.facts.outcome)
            tx.count("facts", n=len(item.facts.content.facts))
            if item.clamped:
                tx.count("clamped")
        await tx.add_extractions(rows)
        return applied


def _row(item: Extracted, key: UUID, body: bytes) -> Extraction:
    facts = item.facts
    return Extraction(
        id=key,
        tenant=facts.tenant,
        source=facts.source,
        event_id=facts.event_id,
        body_hash=item.body_hash,
        outcome=facts.outcome,
        n_facts=len(facts.content.facts),
        record=body,
    )


def read_input(raw: bytes | None) -> Turn | Record:
    """The turn or record in a Kafka value. Raises UnreadableRecord or UnknownVersion."""
    body = read_object(raw)
    kind = body.get("type")
    model = INPUTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise UnreadableRecord(f"type {str(kind)[:40]!r}: this topic takes {' and '.join(sorted(INPUTS))}")
    check_version(body, model)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise UnreadableRecord(f"not a valid {kind}: {explain_validation(error)}") from None
