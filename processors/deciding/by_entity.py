"""A working set taken apart by entity and put together again: entities have nothing in common.

Records that are decided alone look through all that is loaded. Each gets a working set of its own entity, so that what
is decided about one cannot depend on which others were loaded with it.
"""

from collections.abc import Iterable
from typing import Any

from processors.deciding.model import EntityKey
from processors.deciding.working_set import WorkingSet


def by_entity(ws: WorkingSet) -> dict[EntityKey, WorkingSet]:
    """One working set per entity of which something is loaded. ``ws`` must be as it was loaded.

    ``decided`` is shared: the id of a record is nobody's.
    """
    parts: dict[EntityKey, WorkingSet] = {}

    def of(owner: EntityKey) -> WorkingSet:
        part = parts.get(owner)
        if part is None:
            part = parts[owner] = WorkingSet(decided=ws.decided)
        return part

    for owner, entity in ws.entities.items():
        of(owner).entities[owner] = entity
    for slot, row in ws.slots.items():
        of(slot.owner).slots[slot] = row
    for claim in ws.claims.values():
        part = of(claim.cell.slot.owner)
        part.load_claim(claim)
        if claim.id in ws.derived:
            part.derived[claim.id] = ws.derived[claim.id]
    for cell, supports in ws.supports.items():
        of(cell.slot.owner).supports[cell] = supports
    for cell, disputes in ws.disputes.items():
        of(cell.slot.owner).disputes[cell] = disputes
    for ending_key, ending in ws.endings.items():
        of(ending_key[0].owner).endings[ending_key] = ending
    for standing_key, standing in ws.standings.items():
        of(standing_key[0].owner).standings[standing_key] = standing
    for retraction_key, retraction in ws.retractions.items():
        of(retraction_key[1].owner).retractions[retraction_key] = retraction
    for dispute in ws.closed_disputes.values():
        of(dispute.cell.slot.owner).closed_disputes[dispute.id] = dispute
    for claim_id, pending in ws.pending.items():
        of(pending.slot.owner).pending[claim_id] = pending
    for slot, stories in ws.stories.items():
        of(slot.owner).stories[slot] = stories
    return parts


#: What `together` joins: what a store flushes, and ``slots``, by which it knows a slot without a row.
_MAPS = (
    "slots",
    "dirty_entities",
    "dirty_slots",
    "dirty_claims",
    "dirty_supports",
    "dirty_endings",
    "dirty_disputes",
    "dirty_standings",
    "dirty_retractions",
    "dirty_pending",
    "dues",
)
_SETS = ("new", "removed_pending", "removed_supports", "removed_endings", "removed_standings")
_LISTS = ("evidence", "decisions", "events")


def together(parts: Iterable[WorkingSet]) -> WorkingSet:
    """What changed in working sets of different entities, as one to flush."""
    whole = WorkingSet()
    for part in parts:
        for name in _MAPS:
            mine: dict[Any, Any] = getattr(whole, name)
            mine.update(getattr(part, name))
        for name in _SETS:
            held: set[Any] = getattr(whole, name)
            held |= getattr(part, name)
        for name in _LISTS:
            rows: list[Any] = getattr(whole, name)
            rows += getattr(part, name)
    return whole
