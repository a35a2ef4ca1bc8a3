"""Loads the working set of a batch: two or three round trips, each row by an index."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, Entity, Slot, SlotKey
from processors.deciding.working_set import LoadPlan, WorkingSet
from sinks.keys import cell_id, slot_id
from sinks.postgres.binary import Array, array, stamp
from sinks.postgres.rows import claim_of, dispute_of, ending_of, support_of
from sinks.postgres.statements import SQL

Rows = list[tuple[Any, ...]]


async def load(connection: AsyncConnection[Any], plan: LoadPlan) -> WorkingSet:
    """The rows that LoadPlan names, as a working set. Claims have no vectors.

    The slots come first: a slot without a row holds nothing yet, so that nothing of it is looked for.
    """
    ws = WorkingSet()
    decided, entities, slots = await _ask(
        connection,
        [
            ("load_decided", {"ids": array("u", [key.bytes for key in plan.record_ids])}),
            (
                "load_entities",
                {
                    "tenants": array("t", [key.tenant for key in plan.entities]),
                    "entities": array("t", [key.entity for key in plan.entities]),
                },
            ),
            ("load_slots", {"slots": array("u", [slot_id(slot) for slot in plan.slots])}),
        ],
    )
    ws.decided.update(row[0] for row in decided)
    for n, *versions in entities:
        key = plan.entities[n - 1]
        ws.entities[key] = Entity(key, *versions)
    for n, cardinality, version in slots:
        slot = plan.slots[n - 1]
        ws.slots[slot] = Slot(slot, cardinality, version)
    if ws.slots:
        await _load_cells(connection, plan, ws)
    return ws


async def _load_cells(connection: AsyncConnection[Any], plan: LoadPlan, ws: WorkingSet) -> None:
    cells = [cell for cell in plan.cells if cell.slot in ws.slots]
    wanted = [key for key in plan.endings if key[0] in ws.slots]
    by_cell = _cell_ids(cells)
    moments = array("z", [stamp(plan.cells[cell]) for cell in cells])
    claims, supports, endings, disputes = await _ask(
        connection,
        [
            ("load_claims", {**by_cell, "moments": moments}),
            ("load_supports", by_cell),
            ("load_endings", _cell_ids([CellKey(*key) for key in wanted])),
            ("load_disputes", by_cell),
        ],
    )
    for row in claims:
        ws.load_claim(claim_of(cells[row[0] - 1], row[1:]))
    for row in supports:
        ws.load_support(support_of(cells[row[0] - 1], row[1:]))
    for row in endings:
        ending = ending_of(wanted[row[0] - 1][0], row[1:])
        ws.endings[ending.slot, ending.value_key] = ending
    named: dict[UUID, None] = {}
    for row in disputes:
        dispute = dispute_of(cells[row[0] - 1], row[1:])
        ws.load_dispute(dispute)
        named.update(dict.fromkeys((dispute.challenger, *dispute.incumbents)))
    missing = [key.bytes for key in named if key not in ws.claims]
    if missing:
        (rows,) = await _ask(connection, [("load_named_claims", {"ids": array("u", missing)})])
        for row in rows:
            ws.load_claim(claim_of(CellKey(SlotKey(*row[:4]), row[4]), row[5:]))


def _cell_ids(cells: Sequence[CellKey]) -> dict[str, Array]:
    slots = [slot_id(cell.slot) for cell in cells]
    ids = [cell_id(slot, cell.value_key) for slot, cell in zip(slots, cells, strict=True)]
    return {"slots": array("u", slots), "cells": array("u", ids)}


async def _ask(
    connection: AsyncConnection[Any], questions: Sequence[tuple[str, dict[str, Array]]]
) -> list[Rows]:
    """The answers to several statements, in one round trip."""
    async with connection.pipeline():
        cursors = [await connection.execute(SQL[name], values, binary=True) for name, values in questions]
    return [await cursor.fetchall() for cursor in cursors]
