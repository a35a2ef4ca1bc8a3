"""Loads the working set of a batch: two round trips, each row by an index."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, Entity, Slot, SlotKey
from processors.deciding.working_set import LoadPlan, WorkingSet
from sinks.keys import cell_id, slot_id
from sinks.postgres.binary import array, stamp
from sinks.postgres.rows import claim_of, dispute_of, ending_of, support_of
from sinks.postgres.statements import SQL

Rows = list[tuple[Any, ...]]


async def load(connection: AsyncConnection[Any], plan: LoadPlan) -> WorkingSet:
    """The rows that LoadPlan names, as a working set. Claims have no vectors."""
    ws = WorkingSet()
    cells = list(plan.cells)
    decided, entities, slots, claims, supports, endings, disputes = await _fetch(connection, plan, cells)
    ws.decided.update(row[0] for row in decided)
    for n, *versions in entities:
        key = plan.entities[n - 1]
        ws.entities[key] = Entity(key, *versions)
    for n, cardinality, version in slots:
        slot = plan.slots[n - 1]
        ws.slots[slot] = Slot(slot, cardinality, version)
    for row in claims:
        ws.load_claim(claim_of(cells[row[0] - 1], row[1:]))
    for row in supports:
        ws.load_support(support_of(cells[row[0] - 1], row[1:]))
    for row in endings:
        ending = ending_of(plan.endings[row[0] - 1][0], row[1:])
        ws.endings[ending.slot, ending.value_key] = ending
    named: dict[UUID, None] = {}
    for row in disputes:
        dispute = dispute_of(cells[row[0] - 1], row[1:])
        ws.load_dispute(dispute)
        named.update(dict.fromkeys((dispute.challenger, *dispute.incumbents)))
    missing = [key for key in named if key not in ws.claims]
    if missing:
        cursor = await connection.execute(
            SQL["load_named_claims"], {"ids": array("u", [key.bytes for key in missing])}, binary=True
        )
        for row in await cursor.fetchall():
            ws.load_claim(claim_of(CellKey(SlotKey(*row[:4]), row[4]), row[5:]))
    return ws


async def _fetch(connection: AsyncConnection[Any], plan: LoadPlan, cells: Sequence[CellKey]) -> list[Rows]:
    slot_ids = [slot_id(cell.slot) for cell in cells]
    by_cell = {
        "slots": array("u", slot_ids),
        "cells": array("u", [cell_id(at, cell.value_key) for at, cell in zip(slot_ids, cells, strict=True)]),
    }
    ending_slots = [slot_id(slot) for slot, _ in plan.endings]
    ending_cells = [cell_id(at, key) for at, (_, key) in zip(ending_slots, plan.endings, strict=True)]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("load_decided", {"ids": array("u", [key.bytes for key in plan.record_ids])}),
        (
            "load_entities",
            {
                "tenants": array("t", [key.tenant for key in plan.entities]),
                "entities": array("t", [key.entity for key in plan.entities]),
            },
        ),
        ("load_slots", {"slots": array("u", [slot_id(slot) for slot in plan.slots])}),
        ("load_claims", {**by_cell, "moments": array("z", [stamp(at) for at in plan.cells.values()])}),
        ("load_supports", by_cell),
        ("load_endings", {"slots": array("u", ending_slots), "cells": array("u", ending_cells)}),
        ("load_disputes", by_cell),
    ]
    async with connection.pipeline():
        cursors = [await connection.execute(SQL[name], values, binary=True) for name, values in asked]
    return [await cursor.fetchall() for cursor in cursors]
