"""Guests who say who they are: "I'm a visitor named Ola" from ``guest:ola``.

The id of a guest names a seat, not a person: it ends with the visit. Once the guest gives a name, what the guest says
is about the person of that name. An account (``user:...``) stays what it is, whatever name is told to it.
"""

import re
from collections.abc import Iterable
from typing import Final

from processors.identity.naming import type_of
from processors.values.text import clean, form
from schemas.facts import Fact, Mention

_SEATS: Final = frozenset({"guest", "visitor", "speaker"})
_CALLED: Final = re.compile(r"\b(?:named|called)\s+(\S.*)$", re.IGNORECASE)
_NAMES: Final = frozenset({"name", "full_name", "first_name"})


def is_seat(entity: str) -> bool:
    """Whether the entity is one that a person only sits on."""
    return type_of(entity) in _SEATS


def introductions(facts: Iterable[Fact]) -> dict[str, Mention]:
    """Seat to the name that whoever sits there gave, the first of each."""
    found: dict[str, Mention] = {}
    for fact in facts:
        seat = fact.subject.entity
        if seat is None or not is_seat(seat) or seat in found:
            continue
        name = _name_in(fact)
        if name:
            found[seat] = Mention(text=name[:512], type="person")
    return found


def _name_in(fact: Fact) -> str:
    if fact.act != "assert" or fact.polarity == "-" or fact.ended or fact.basis != "observed":
        return ""
    label = form(fact.predicate.rsplit(".", 1)[-1], "_")
    if label in _NAMES:
        return clean(fact.value)
    called = _CALLED.search(clean(fact.value)) if label in ("is", "is_a", "role") else None
    return called[1].rstrip(" .,!?") if called else ""
