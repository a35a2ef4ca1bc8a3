"""What happens to an input before it is read: its times, its facts as one record."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from schemas.base import canonical_json
from schemas.facts import Fact, FactsContent, FactsExtracted
from schemas.turn import Input, Record, Turn

#: An event may not lie further ahead of its reception than this: a wrong clock must not win by being late.
MAX_AHEAD = timedelta(minutes=5)

RECORD_EXTRACTOR = "record/1"

#: Why a turn has no facts when no user said anything in it: what an assistant or a tool says is no statement.
NOBODY_SPEAKS = "nobody_speaks"


def times(event: Input, record_timestamp_ms: int) -> tuple[datetime, datetime, bool]:
    """(event time, received at, clamped). The Kafka record's timestamp stands in for a missing ``received_at``."""
    stamped = datetime.fromtimestamp(record_timestamp_ms / 1000, UTC)
    received = event.received_at or stamped
    stated = event.at or received
    latest = received + MAX_AHEAD
    return (latest, received, True) if stated > latest else (stated, received, False)


def silence(event: Input) -> str:
    """NOBODY_SPEAKS for a turn without a word of a user, else empty."""
    if not isinstance(event, Turn):
        return ""
    spoken = any(message.role == "user" and message.text.strip() for message in event.content.messages)
    return "" if spoken else NOBODY_SPEAKS


def body_hash(event: Input) -> str:
    """SHA-256 of what the producer said, hex: the same event id with another hash is another body.

    ``received_at`` is left out: a producer's retry may stamp it again.
    """
    body = event.model_dump(mode="json", exclude_none=True, exclude={"received_at"})
    return hashlib.sha256(canonical_json(body)).hexdigest()


def record_facts(record: Record) -> list[Fact]:
    """The stated facts of a record, numbered."""
    stated = (fact.model_dump() for fact in record.content.facts)
    return [
        Fact.model_validate({**fact, "ordinal": number, "rule": "record"})
        for number, fact in enumerate(stated)
    ]


def numbered(facts: Iterable[Fact]) -> list[Fact]:
    """The facts with dense ordinals from 0, whatever the extractor numbered."""
    return [fact.model_copy(update={"ordinal": number}) for number, fact in enumerate(facts)]


def extracted(
    event: Turn | Record,
    facts: Sequence[Fact],
    *,
    event_time: datetime,
    received_at: datetime,
    extractor: str,
    prompt_hash: str = "",
    reason: str = "",
) -> FactsExtracted:
    """All facts of one event as one record; no facts is an outcome of its own, not a failure."""
    return FactsExtracted(
        tenant=event.tenant,
        source=event.source,
        event_id=event.event_id,
        stream_id=event.stream_id,
        agent=event.agent,
        outcome="facts" if facts else "no_facts",
        event_time=event_time,
        received_at=received_at,
        extractor=extractor,
        prompt_hash=prompt_hash,
        reason=reason,
        derived_from=event.derived_from,
        contains_recall=event.contains_recall if isinstance(event, Turn) else (),
        source_version=dict(event.version) if isinstance(event, Record) else {},
        content=FactsContent(facts=tuple(numbered(facts))),
    )
