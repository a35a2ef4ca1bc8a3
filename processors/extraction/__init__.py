"""The offline extractor: plain statements of a turn as facts, by rules alone.

Precision before recall: questions, hypotheses, quotes, sarcasm, the assistant's and a tool's own words
assert nothing.
docs/extraction.md lists the shapes it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from processors.extraction.draft import Draft, finish
from processors.extraction.reader import read_message
from schemas.facts import Fact, Mention
from schemas.turn import Message

#: Names this extractor and its version in every facts record.
EXTRACTOR_ID: Final = "rules/1"
#: At most this many facts are taken from one turn.
MAX_FACTS: Final = 64

__all__ = ["EXTRACTOR_ID", "MAX_FACTS", "extract"]


def extract(messages: Sequence[Message], *, speaker: Mention, at: datetime) -> list[Fact]:
    """The facts that the ``user`` messages of a turn state, at most MAX_FACTS, in the order they are said.

    ``speaker`` is who says "I" where a message names no speaker of its own; ``at`` (UTC) is the
    turn's event time, against which "last year" is read. Pure: equal arguments give equal facts.
    Raises nothing on any text.
    """
    facts: list[Fact] = []
    seen: set[tuple[object, ...]] = set()
    for index, message in enumerate(messages):
        if message.role != "user":
            continue
        who = speaker_of(message) or speaker
        for draft in read_message(message.text, who):
            key = (
                draft.subject,
                draft.predicate,
                draft.scope,
                draft.value.casefold(),
                draft.negative,
                draft.ended,
                draft.act,
            )
            if key in seen or len(facts) >= MAX_FACTS or not _sound(draft):
                continue
            seen.add(key)
            facts.append(
                finish(draft, original=message.text, message=index, ordinal=len(facts), at=at, speaker=who)
            )
    return facts


def speaker_of(message: Message) -> Mention | None:
    """The mention of a message's own speaker (``guest:ola`` -> Ola the guest), None when it is the turn's
    user."""
    if message.speaker is None:
        return None
    kind, _, name = message.speaker.partition(":")
    if not kind or not name:
        return Mention(text=message.speaker, type="person")
    return Mention(text=name, type=kind, entity=message.speaker)


def _sound(draft: Draft) -> bool:
    """The last check: a predicate, and a value or an end."""
    return bool(draft.predicate) and (bool(draft.value.strip()) or draft.ended or draft.act == "retract")
