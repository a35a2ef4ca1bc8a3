"""Finds the slots that records decided alone are about: all records of a batch in one or two round trips."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from processors.deciding.model import SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import every_slot
from sinks.keys import slot_id
from sinks.postgres.asking import Rows, ask
from sinks.postgres.binary import columns

#: Whose question it is (its number), and an id that it names.
Named = list[tuple[int, bytes]]


async def locate(connection: AsyncConnection[Any], wanted: Sequence[Locate]) -> list[list[SlotKey]]:
    """Per question the slots of its entity, sorted, each once; ids of another tenant or entity find nothing."""
    retractions = _named((n, one.retractions) for n, one in enumerate(wanted))
    slots = await _slots_of(connection, wanted, retractions)
    every = {n for n, one in enumerate(wanted) if one.every}
    every |= {n for n, slot in slots if slot == slot_id(every_slot(wanted[n].owner))}
    questions = _questions(
        wanted,
        {
            "locate_claims": _named((n, one.claims) for n, one in enumerate(wanted)),
            "locate_disputes": _named((n, one.disputes) for n, one in enumerate(wanted)),
            "locate_records": _named((n, one.records) for n, one in enumerate(wanted)),
            "locate_slots": slots,
        },
    )
    events = [(n, *wanted[n].owner, *event) for n, one in enumerate(wanted) for event in one.events]
    if events:
        questions.append(("locate_events", _arrays("ntttt", ("ns", *_OWNER, "sources", "events"), events)))
    if every:
        owners = [(n, *wanted[n].owner) for n in sorted(every)]
        questions.append(("locate_every", _arrays("ntt", ("ns", *_OWNER), owners)))
    found: list[set[SlotKey]] = [set() for _ in wanted]
    for rows in await ask(connection, questions) if questions else ():
        for n, predicate, scope in rows:
            found[n].add(SlotKey(*wanted[n].owner, predicate, scope))
    return [sorted(slots_of) for slots_of in found]


_OWNER = ("tenants", "entities")


async def _slots_of(connection: AsyncConnection[Any], wanted: Sequence[Locate], retractions: Named) -> Named:
    if not retractions:
        return []
    rows = [(n, wanted[n].owner.tenant, key) for n, key in retractions]
    found: Rows
    (found,) = await ask(connection, [("locate_retractions", _arrays("ntu", ("ns", "tenants", "ids"), rows))])
    return [(n, slot.bytes) for n, slot in found]


def _questions(wanted: Sequence[Locate], named: dict[str, Named]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, _arrays("nttu", ("ns", *_OWNER, "ids"), [(n, *wanted[n].owner, key) for n, key in rows]))
        for name, rows in named.items()
        if rows
    ]


def _named(ids: Iterable[tuple[int, tuple[UUID, ...]]]) -> Named:
    return [(n, key.bytes) for n, keys in ids for key in keys]


def _arrays(letters: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    return dict(zip(names, columns(letters, rows), strict=True))
