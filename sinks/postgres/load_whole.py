"""Loads slots with everything, for the records that are decided alone: two round trips."""

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, SlotKey, Story
from processors.deciding.working_set import WorkingSet
from sinks.derived import Ground, derived, origins_of
from sinks.keys import origin_id, slot_id
from sinks.postgres.asking import ask
from sinks.postgres.binary import array
from sinks.postgres.rows import claim_of, dispute_of, ending_of, support_of
from sinks.postgres.rulings import pending_of

_TABLES = ("load_whole_claims", "supports_of", "endings_of", "disputes_of", "load_pending", "load_stories")


async def load_whole(connection: AsyncConnection[Any], slots: Sequence[SlotKey], ws: WorkingSet) -> None:
    """Adds all that LoadPlan.whole promises but the rulings and retractions, which come with every slot."""
    ids = {"slots": array("u", [slot_id(slot) for slot in slots])}
    claims, supports, endings, disputes, pending, stories = await ask(
        connection, [(name, ids) for name in _TABLES]
    )
    for n, cell_key, *row in claims:
        ws.load_claim(claim_of(CellKey(slots[n - 1], cell_key), row))
    for n, cell_key, *row in supports:
        ws.load_support(support_of(CellKey(slots[n - 1], cell_key), row))
    for n, *row in endings:
        ending = ending_of(slots[n - 1], row)
        ws.endings[ending.slot, ending.value_key] = ending
    for n, cell_key, *row in disputes:
        dispute = dispute_of(CellKey(slots[n - 1], cell_key), row)
        if dispute.status == "open":
            ws.load_dispute(dispute)
        else:
            ws.closed_disputes[dispute.id] = dispute
    for n, *row in pending:
        waiting = pending_of(slots[n - 1], row)
        ws.pending[waiting.claim_id] = waiting
    ws.stories.update((slot, []) for slot in slots)
    for n, number, body, record, policy, authority, registry, *_ in stories:
        ws.stories[slots[n - 1]].append(Story(number, body, record, (policy, authority, registry)))
    await _load_derived(connection, slots, ws, [(slots[row[0] - 1], Ground(*row[7:])) for row in stories])


async def _load_derived(
    connection: AsyncConnection[Any],
    slots: Sequence[SlotKey],
    ws: WorkingSet,
    grounds: Sequence[tuple[SlotKey, Ground]],
) -> None:
    for owner in dict.fromkeys(slot.owner for slot in slots):
        claims = [key for key, row in ws.claims.items() if row.cell.slot.owner == owner]
        origins = origins_of(claims, (ground for slot, ground in grounds if slot.owner == owner))
        names = list(origins)
        ids = array("u", [origin_id(owner, name) for name in names])
        (rests,) = await ask(connection, [("load_derivations", {"ids": ids})])
        ws.derived.update(derived(origins, ((names[n - 1], claim) for n, claim in rests)))
