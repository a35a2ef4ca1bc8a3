"""Folding a slot again: what would be believed had some of its records never counted.

Used when something is taken back or restored, when a person asks to reconsider, when an entity is split. The slot's
records are decided again in inbox order on an empty slot; then the difference to what is held is written, claim by
claim. Claims keep their ids, because ids come from the records.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from uuid import UUID

from processors.deciding.change import Change
from processors.deciding.disputes import publish
from processors.deciding.kept import kept
from processors.deciding.model import CellKey, Claim, Dispute, Slot, SlotKey, Story
from processors.deciding.working_set import WorkingSet
from schemas.claims import Status
from schemas.facts import Cardinality

#: Decides one stored record on the scratch set (given by fold, which knows all kinds of records).
Replay = Callable[[WorkingSet, Story, SlotKey], None]

_KEPT = ("slot_version", "vector", "text")


def refold(
    change: Change,
    slot: SlotKey,
    replay: Replay,
    *,
    status: Status = "retracted",
    gone: str = "retracted",
    anew: bool = False,
    cardinality: Cardinality | None = None,
) -> None:
    """Decides the slot's stories again, each under the versions of its day, and writes the difference.

    A claim that has no ground any more gets ``status`` with ``gone`` as its reason. ``anew``: under today's versions.
    ``cardinality``: what the slot has from now on; None leaves it.
    """
    held = change.ws.slots.get(slot)
    if held is not None and cardinality is not None and held.cardinality != cardinality:
        held.cardinality = cardinality
        change.touch_slot()
    scratch = _empty(change, slot)
    for story in kept(change.ws.stories.get(slot, [])):
        if story.versions is not None and not anew:
            entity = scratch.entities[slot.owner]
            entity.policy, entity.authority, entity.registry = story.versions
        replay(scratch, story, slot)
    _claims(change, slot, scratch, status, gone)
    _supports(change, slot, scratch)
    _endings(change, slot, scratch)
    _disputes(change, slot, scratch)


def _empty(change: Change, slot: SlotKey) -> WorkingSet:
    held = change.ws.slots.get(slot)
    scratch = WorkingSet()
    scratch.entities[slot.owner] = replace(change.entity)
    if held is not None:
        scratch.slots[slot] = Slot(slot, held.cardinality)
    scratch.retractions.update(change.ws.retractions)
    # What a person ruled to be another matter is told elsewhere, in a slot of its own.
    apart = ((key, row) for key, row in change.ws.standings.items() if key[0] == slot)
    scratch.standings.update((key, row) for key, row in apart if row.ruling == "apart")
    return scratch


def _claims(change: Change, slot: SlotKey, scratch: WorkingSet, status: Status, gone: str) -> None:
    held = {key: row for key, row in change.ws.claims.items() if row.cell.slot == slot}
    found = {key: row for key, row in scratch.claims.items() if row.cell.slot == slot}
    for key, claim in sorted(held.items(), key=lambda item: (item[1].order, str(item[0]))):
        again = found.get(key)
        if again is None:
            if (claim.status, claim.reason) == ("superseded", "rescoped"):
                continue
            if claim.status not in ("retracted", "erased") and (claim.status, claim.reason) != (status, gone):
                until = max(claim.valid_from, change.at) if claim.valid_to is None else claim.valid_to
                change.set_status(claim, status, gone, valid_to=until)
        elif _differs(claim, again):
            kept = {name: getattr(claim, name) for name in _KEPT}
            moved = replace(again, **kept, decided_by=change.record_id)
            if moved.status != claim.status:
                change.changed[key] = moved.status
            change.touch(moved, "status")
    for key, claim in found.items():
        if key not in held:
            change.changed[key] = claim.status
            change.touch(replace(claim, slot_version=change.slot.version + 1), "added")


def _differs(one: Claim, other: Claim) -> bool:
    same = replace(other, **{name: getattr(one, name) for name in _KEPT}, decided_by=one.decided_by)
    return same != one


def _supports(change: Change, slot: SlotKey, scratch: WorkingSet) -> None:
    held = {(cell, agent) for cell, rows in change.ws.supports.items() if cell.slot == slot for agent in rows}
    found = {
        (cell, agent): row
        for cell, rows in scratch.supports.items()
        if cell.slot == slot
        for agent, row in rows.items()
    }
    for cell, agent in held - found.keys():
        change.ws.remove_support(cell, agent)
    for key, row in found.items():
        if change.ws.supports[key[0]].get(key[1]) != row:
            change.ws.put_support(row)


def _endings(change: Change, slot: SlotKey, scratch: WorkingSet) -> None:
    for key in [key for key in change.ws.endings if key[0] == slot and key not in scratch.endings]:
        change.ws.remove_ending(key)
    for key, row in scratch.endings.items():
        if key[0] == slot and change.ws.endings.get(key) != row:
            change.ws.put_ending(row)


def _disputes(change: Change, slot: SlotKey, scratch: WorkingSet) -> None:
    held = _open(change.ws, slot)
    found = {row.id: row for row in _open(scratch, slot)}
    for dispute in held:
        if dispute.id not in found:
            publish(
                change, replace(dispute, status="withdrawn"), "withdrawn", "what it rested on was taken back"
            )
        elif _parties(found[dispute.id]) != _parties(dispute):
            again = found[dispute.id]
            change.ws.disputes[dispute.cell].pop(dispute.id)
            moved = replace(
                dispute, cell=again.cell, challenger=again.challenger, incumbents=again.incumbents
            )
            publish(change, moved, "retargeted", "the incumbent changed")
    known = {row.id for row in held}
    for dispute in found.values():
        if dispute.id not in known:
            before = change.ws.closed_disputes.get(dispute.id)
            version = before.version if before is not None else 0
            publish(
                change,
                replace(dispute, version=version),
                "opened",
                "open again: its records were folded again",
            )


def _parties(dispute: Dispute) -> tuple[CellKey, UUID, tuple[UUID, ...]]:
    return dispute.cell, dispute.challenger, dispute.incumbents


def _open(ws: WorkingSet, slot: SlotKey) -> Iterable[Dispute]:
    rows = (row for cell, found in ws.disputes.items() if cell.slot == slot for row in found.values())
    return sorted(rows, key=lambda row: (row.opened_at, str(row.id)))
