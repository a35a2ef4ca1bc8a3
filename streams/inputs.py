"""Reading what somebody wants to publish: JSON lines of turns and records, checked one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import ValidationError

from schemas.base import canonical_json, check_version, read_object
from schemas.errors import ClaimstreamError, PoisonError, UnreadableRecord
from schemas.ids import event_key
from schemas.turn import INPUTS
from streams.envelope import Input, input_record, stamped
from streams.settings import Settings
from streams.stage import OutRecord

#: What to do about a field that is missing.
_MISSING: Final = {
    "tenant": "say whose memory it is, or pass --tenant",
    "agent": "say which agent reports it: evidence and authority are counted by agent",
    "event_id": "give each event the id it has in your system and keep it when you send it again: "
    "that is how a second copy is recognised",
    "conversation": "name the conversation: its turns are kept in order",
    "user": "name the account whose memory this is; the speaker is user:<user>",
    "record_id": "give the record the id it has in its own system",
    "content": 'a turn has {"messages": [{"role": "user", "text": "..."}]}, a record {"facts": [...]}',
}


class BadLine(ClaimstreamError):
    """A line is no valid turn or record."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number
        self.reason = reason


def read_input(raw: bytes, tenant: str | None = None) -> Input:
    """The turn or record in one line of JSON; `tenant` is for those that name none.

    Raises UnreadableRecord or UnknownVersion; the message says what to do and repeats no text of the line.
    """
    body = read_object(raw)
    kind = body.get("type", "turn")
    model = INPUTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise UnreadableRecord(f'type: write "turn" or "record", not {str(kind)[:40]!r}')
    check_version(body, model)
    if tenant is not None:
        body.setdefault("tenant", tenant)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise UnreadableRecord(_explain(error, kind)) from None


def _explain(error: ValidationError, kind: str) -> str:
    parts = []
    for item in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
        where = ".".join(str(step) for step in item["loc"]) or kind
        if item["type"] == "missing" and where in _MISSING:
            parts.append(f"{where} is missing: {_MISSING[where]}")
        else:
            parts.append(f"{where}: {item['msg'][:1].lower()}{item['msg'][1:]}")
    return "; ".join(parts)


@dataclass(slots=True)
class LineReader:
    """Turns lines into records to send. Raises BadLine at the first line that cannot be one.

    Blank lines are passed over. The same event twice with another body is refused: only one of the two could be
    kept, and the pipeline would have to raise an alarm about the other.
    """

    settings: Settings
    tenant: str | None = None
    #: Line number and digest of each event seen.
    _seen: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def read(self, number: int, line: bytes, now: datetime) -> OutRecord | None:
        """The record of one line (numbered from 1), None for a blank one. Raises BadLine."""
        if not line.strip():
            return None
        try:
            event = read_input(line, self.tenant)
            self._refuse_other_body(number, event)
            return input_record(stamped(event, now), self.settings)
        except PoisonError as error:
            raise BadLine(number, str(error)) from None

    def read_all(self, lines: Iterable[bytes], now: datetime) -> Iterator[OutRecord]:
        """The records of all lines."""
        for number, line in enumerate(lines, start=1):
            record = self.read(number, line, now)
            if record is not None:
                yield record

    def _refuse_other_body(self, number: int, event: Input) -> None:
        body = event.model_dump(mode="json", exclude={"received_at"})
        digest = hashlib.blake2b(canonical_json(body), digest_size=16).digest()
        first, known = self._seen.setdefault(
            event_key(event.tenant, event.source, event.event_id), (number, digest)
        )
        if known != digest:
            raise UnreadableRecord(
                f"event_id {event.event_id!r} was already used on line {first} for another content; "
                "an id names one event of its source"
            )
