"""Loads the working set of a batch: two or three round trips, each row by an index."""

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, Entity, SlotKey
from processors.deciding.working_set import LoadPlan, WorkingSet, every_slot
from sinks.keys import cell_id, slot_id
from sinks.postgres.asking import ask
from sinks.postgres.binary import Array, array, stamp
from sinks.postgres.load_whole import load_whole
from sinks.postgres.rows import claim_of, dispute_of, ending_of, slot_of, support_of
from sinks.postgres.rulings import retraction_of, standing_of


async def load(connection: AsyncConnection[Any], plan: LoadPlan) -> WorkingSet:
    """The rows that LoadPlan names, as a working set. Claims have no vectors.

    The slots come first: a slot that was asked for and has no row holds nothing yet, nothing of it is looked for.
    """
    ws = WorkingSet()
    slots = tuple(dict.fromkeys((*plan.slots, *plan.whole)))
    await _load_heads(connection, plan, slots, ws)
    empty = {slot for slot in slots if slot not in ws.slots}
    cells = [cell for cell in plan.cells if cell.slot not in empty]
    if ws.slots or cells:
        wanted = [key for key in plan.endings if key[0] not in empty]
        await _load_cells(connection, plan, cells, wanted, ws)
    if plan.whole:
        await load_whole(connection, plan.whole, ws)
    await _load_named(connection, ws)
    return ws


async def _load_heads(
    connection: AsyncConnection[Any], plan: LoadPlan, slots: Sequence[SlotKey], ws: WorkingSet
) -> None:
    """What is decided, the entities, the slots, and what was taken back: also of slots that were never seen."""
    covered = tuple(dict.fromkeys((*slots, *(every_slot(key) for key in plan.entities))))
    decided, entities, held, retractions = await ask(
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
            ("load_slots", {"slots": array("u", [slot_id(slot) for slot in slots])}),
            ("load_retractions", {"slots": array("u", [slot_id(slot) for slot in covered])}),
        ],
    )
    ws.decided.update(row[0] for row in decided)
    for n, *versions in entities:
        key = plan.entities[n - 1]
        ws.entities[key] = Entity(key, *versions)
    for n, *row in held:
        ws.slots[slots[n - 1]] = slot_of(slots[n - 1], row)
    whole = set(plan.whole)
    for n, *row in retractions:
        retraction = retraction_of(covered[n - 1], row)
        if not retraction.undone or retraction.slot in whole:
            ws.retractions[retraction.id, retraction.slot, retraction.value_key] = retraction


async def _load_cells(
    connection: AsyncConnection[Any],
    plan: LoadPlan,
    cells: Sequence[CellKey],
    wanted: Sequence[tuple[SlotKey, str]],
    ws: WorkingSet,
) -> None:
    held = list(ws.slots)
    by_cell = _cell_ids(cells)
    moments = array("z", [stamp(plan.cells[cell]) for cell in cells])
    claims, supports, endings, disputes, standings = await ask(
        connection,
        [
            ("load_claims", {**by_cell, "moments": moments}),
            ("load_supports", by_cell),
            ("load_endings", _cell_ids([CellKey(*key) for key in wanted])),
            ("load_disputes", by_cell),
            ("load_standings", {"slots": array("u", [slot_id(slot) for slot in held])}),
        ],
    )
    for row in claims:
        ws.load_claim(claim_of(cells[row[0] - 1], row[1:]))
    for row in supports:
        ws.load_support(support_of(cells[row[0] - 1], row[1:]))
    for row in endings:
        ending = ending_of(wanted[row[0] - 1][0], row[1:])
        ws.endings[ending.slot, ending.value_key] = ending
    for row in disputes:
        ws.load_dispute(dispute_of(cells[row[0] - 1], row[1:]))
    for n, *values in standings:
        standing = standing_of(held[n - 1], values)
        ws.standings[standing.slot, standing.value_key, standing.polarity] = standing


async def _load_named(connection: AsyncConnection[Any], ws: WorkingSet) -> None:
    """The claims that the open disputes name and that did not come with their cell."""
    disputes = (row for rows in ws.disputes.values() for row in rows.values())
    named = dict.fromkeys(key for row in disputes for key in (row.challenger, *row.incumbents))
    missing = [key.bytes for key in named if key not in ws.claims]
    if missing:
        (rows,) = await ask(connection, [("load_named_claims", {"ids": array("u", missing)})])
        for row in rows:
            ws.load_claim(claim_of(CellKey(SlotKey(*row[:4]), row[4]), row[5:]))


def _cell_ids(cells: Sequence[CellKey]) -> dict[str, Array]:
    slots = [slot_id(cell.slot) for cell in cells]
    ids = [cell_id(slot, cell.value_key) for slot, cell in zip(slots, cells, strict=True)]
    return {"slots": array("u", slots), "cells": array("u", ids)}
