"""Late statements in a slot where values concern each other.

In a plain slot the latest assertion wins, whatever came first, so a late one is history at once. Where denials, ends,
values within one another or values that exclude one another were said, what a late statement changes depends on what
was said in between ("in Germany" confirms "in Berlin" only if "in Paris" was not said before it). Under ``recency`` the
slot is then folded again in the order of evidence.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from processors.deciding.change import Ruling
from processors.deciding.control import ControlView
from processors.deciding.model import Order, Slot, SlotKey, Story, versions_of
from processors.deciding.past import waiting_for
from processors.deciding.refold import refold
from processors.deciding.replaying import replay, story_order
from processors.deciding.statement import Statement, slot_key
from processors.deciding.stating import apart_slot, order_of
from processors.deciding.telling import pinned
from processors.deciding.working_set import LoadPlan, WorkingSet
from schemas.inbox import Candidate, Proposal

#: A slot with more records is not folded again for a late statement: that would cost time without bound. The plain
#: rules decide, and the decision says so.
MAX_RECORDS: Final = 1000


def tangles(statement: Statement) -> bool:
    """Whether the statement concerns other values of the slot than its own."""
    proposal = statement.proposal
    if statement.slot.cardinality == "many":
        return bool(statement.excludes())
    if proposal.polarity == "-" or proposal.ended or statement.value.within:
        return True
    # Values of different types: which of two cannot be read is undecided, so it matters which came first.
    held = statement.ws.cell_claims(statement.cell)
    return any(claim.live and claim.value.type != statement.value.type for claim in held)


def out_of_order(statement: Statement) -> bool:
    """Whether the slot must be folded again for this statement to be decided as if it had come in time."""
    slot = statement.slot
    late = slot.latest is not None and statement.order < slot.latest
    if not late or not (slot.tangled or tangles(statement)) or waiting_for(statement) is not None:
        return False
    if statement.rules.rule_for(slot.key).strategy != "recency":
        return False
    if slot.records > MAX_RECORDS:
        statement.detail["not_folded_again"] = f"more than {MAX_RECORDS} records"
        return False
    return True


def put_in_order(statement: Statement, view: ControlView) -> Ruling:
    """Folds the slot again with the statement in its place; returns what was decided about it."""
    ws, slot = statement.ws, statement.slot.key
    told = ws.stories.get(slot)
    assert told is not None, "the slot was not loaded whole"
    versions = versions_of(statement.entity)
    own = Story(statement.entity.decisions + 1, pinned(statement).to_json(), statement.record_id, versions)
    found: dict[UUID, Ruling] = {}

    def decide_again(scratch: WorkingSet, story: Story, slot: SlotKey) -> None:
        outcome = replay(scratch, story, view, slot)
        if outcome is not None:
            found[outcome[0]] = outcome[1]

    ws.stories[slot] = sorted([*told, own], key=story_order)
    refold(statement, slot, decide_again, status="superseded", gone="reordered")
    ws.stories[slot] = told
    ruling = found[statement.proposal.id]
    return replace(ruling, rule=f"{ruling.rule}, in order of evidence")


def note(statement: Statement) -> None:
    """Keeps what a later statement needs to know whether it is late, and whether that is a plain matter."""
    slot = statement.slot
    slot.records += 1
    slot.latest = statement.order if slot.latest is None else max(slot.latest, statement.order)
    slot.tangled = slot.tangled or tangles(statement)
    statement.ws.put_slot(slot)


def plan_late(ws: WorkingSet, proposals: Sequence[Proposal]) -> LoadPlan | None:
    """What else to load for statements of a run that come late to a tangled slot; None when nothing.

    It may name a slot that turns out not to need it: which predicate a statement means is decided later.
    """
    latest: dict[SlotKey, Order] = {}
    tangled: set[SlotKey] = set()
    types = _types(ws)
    needed: dict[SlotKey, None] = {}
    for proposal in proposals:
        order = order_of(proposal)
        for candidate in proposal.content.candidates:
            slot = apart_slot(ws, proposal, slot_key(proposal, candidate.predicate), candidate.value)
            types.setdefault(slot, set()).add(candidate.value.type)
            if _may_tangle(proposal, candidate) or len(types[slot]) > 1:
                tangled.add(slot)
            if _needs_story(ws.slots.get(slot), order, latest.get(slot), slot in tangled):
                needed[slot] = None
            latest[slot] = max(order, latest.get(slot, order))
    slots = tuple(needed)
    return LoadPlan((), (), slots, {}, (), whole=slots) if slots else None


def _types(ws: WorkingSet) -> dict[SlotKey, set[str]]:
    types: dict[SlotKey, set[str]] = {}
    for claim in ws.claims.values():
        if claim.live and not claim.cell.value_key:
            types.setdefault(claim.cell.slot, set()).add(claim.value.type)
    return types


def _may_tangle(proposal: Proposal, candidate: Candidate) -> bool:
    concerns_others = proposal.polarity == "-" or proposal.ended or candidate.value.within
    return bool(concerns_others or candidate.excludes)


def _needs_story(slot: Slot | None, order: Order, batch_latest: Order | None, batch_tangles: bool) -> bool:
    held = slot.latest if slot is not None else None
    latest = max((moment for moment in (held, batch_latest) if moment is not None), default=None)
    return (
        latest is not None
        and order < latest
        and (batch_tangles or (slot is not None and slot.tangled))
        and (slot is None or slot.records <= MAX_RECORDS)
    )
