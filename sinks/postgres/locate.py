"""Finds the slots that a record decided alone is about."""

from typing import Any

from psycopg import AsyncConnection

from processors.deciding.model import SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import every_slot
from sinks.keys import slot_id
from sinks.postgres.asking import ask
from sinks.postgres.binary import array


async def locate(connection: AsyncConnection[Any], wanted: Locate) -> list[SlotKey]:
    """The slots of the entity, sorted, each once; ids of another tenant or entity find nothing."""
    owner: dict[str, Any] = wanted.owner._asdict()
    names = {"claims": wanted.claims, "disputes": wanted.disputes, "records": wanted.records}
    questions: list[tuple[str, dict[str, Any]]] = [
        (f"locate_{name}", {**owner, "ids": array("u", [key.bytes for key in ids])})
        for name, ids in names.items()
        if ids
    ]
    if wanted.events:
        sources, events = zip(*wanted.events, strict=True)
        questions.append(
            ("locate_events", {**owner, "sources": array("t", sources), "events": array("t", events)})
        )
    every = wanted.every
    if wanted.retractions:
        ids = array("u", [key.bytes for key in wanted.retractions])
        (rows,) = await ask(connection, [("locate_retractions", {"tenant": owner["tenant"], "ids": ids})])
        slots = {row[0].bytes for row in rows}
        every = every or slot_id(every_slot(wanted.owner)) in slots
        questions.append(("locate_slots", {**owner, "slots": array("u", sorted(slots))}))
    if every:
        questions = [("locate_every", owner)]
    if not questions:
        return []
    found = {SlotKey(*wanted.owner, *row) for rows in await ask(connection, questions) for row in rows}
    return sorted(found)
