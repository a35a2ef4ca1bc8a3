"""Taking back: a retraction covers a value of a slot for all evidence up to its time, whatever its id."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from processors.deciding.change import Change
from processors.deciding.model import Retraction, SlotKey
from processors.deciding.refold import Replay, refold
from processors.deciding.working_set import every_slot


def retract(
    change: Change, value_key: str, up_to: datetime, actor: str, reason: str, replay: Replay
) -> list[UUID]:
    """Takes back the value (empty: every value) of the change's slot; returns the claims that lost their ground."""
    slot = change.slot.key
    before = {
        key for key, row in change.ws.claims.items() if row.cell.slot == slot and row.status != "retracted"
    }
    change.ws.put_retraction(Retraction(change.record_id, slot, value_key, up_to, actor, reason))
    refold(change, slot, replay)
    gone = [key for key in before if change.ws.claims[key].status == "retracted"]
    _flag_derived(change, gone)
    return sorted(gone, key=str)


def retract_all(change: Change, up_to: datetime, actor: str, reason: str) -> None:
    """Marks the whole entity as taken back up to ``up_to``: also what is still on its way to a slot not seen yet."""
    row = Retraction(change.record_id, every_slot(change.slot.key.owner), "", up_to, actor, reason)
    change.ws.put_retraction(row)


def restore(change: Change, retraction: Retraction, replay: Replay) -> None:
    """Undoes a retraction for the change's slot: its records count again."""
    change.ws.put_retraction(replace(retraction, undone=True))
    refold(change, change.slot.key, replay)


def covering(change: Change, retraction_id: UUID, slot: SlotKey) -> list[Retraction]:
    """The rows of one retraction that concern the slot."""
    rows = change.ws.retractions.values()
    wanted = (slot, every_slot(slot.owner))
    return [row for row in rows if row.id == retraction_id and row.slot in wanted and not row.undone]


def _flag_derived(change: Change, gone: list[UUID]) -> None:
    """What was derived from a retracted claim may be wrong too: a person should look."""
    flagged = dict.fromkeys(
        key for claim in gone for key in change.ws.derived.get(claim, ()) if key not in gone
    )
    for number, key in enumerate(flagged):
        claim = change.ws.claims.get(key)
        if claim is None or claim.live:
            change.review("derived_from_retracted", claim, text=str(key), number=number)
