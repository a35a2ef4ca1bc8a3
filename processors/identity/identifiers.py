"""Deterministic identifiers: e-mail addresses, phone numbers with country code, ids of other systems."""

import re
from typing import Final

from processors.values import contact
from processors.values.text import clean, digest
from schemas.values import TypedValue

#: ``crm:123``: the system's name, then its id as the system writes it. Not ``note: buy milk``, not ``https://...``.
_EXTERNAL: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{1,31}):(?!//)([^\s:]{1,128})")
_MANY: Final = frozenset({"email", "phone"})


def identifier_of(text: str) -> str | None:
    """The identifier that `text` as a whole is: ``email:ana@b.example``, ``phone:+4930...``, ``crm:123``; else None."""
    said = clean(text)
    if (address := contact.email(said)) is not None:
        return address[0]
    if (number := contact.phone(said)) is not None and number[0].startswith("phone:+"):
        return number[0]
    external = _EXTERNAL.fullmatch(said)
    if external is None or not any(char.isdigit() for char in external[2]):
        return None
    return f"{external[1].casefold()}:{external[2]}"


def identifier_in(value: TypedValue) -> str | None:
    """The identifier in the value of a claim of type ``email`` or ``phone``; a number without country code is none."""
    if value.type == "email" or (value.type == "phone" and value.key.startswith("phone:+")):
        return value.key
    return None


def scheme_of(identifier: str) -> str:
    return identifier.split(":", 1)[0]


def is_shared(identifier: str) -> bool:
    """Whether several persons may have it: a mailbox or a telephone of a household or an office."""
    return scheme_of(identifier) in _MANY


def clash(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether one system gives the two different ids: then they are two, whatever their names."""
    mine = {scheme_of(key): key for key in some if not is_shared(key)}
    theirs = {scheme_of(key): key for key in others if not is_shared(key)}
    return any(theirs.get(scheme, key) != key for scheme, key in mine.items())


def entity_by(type_: str, identifier: str) -> str:
    """``person:crm:123``: the entity of which nothing but an identifier is known."""
    whole = f"{type_}:{identifier}"
    return whole if len(whole) <= 250 else f"{whole[:180]}~{digest(whole, 32)}"
