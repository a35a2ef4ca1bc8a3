"""What a ruling leaves behind: it stands against the same evidence told again, and it may move a claim elsewhere."""

from dataclasses import replace
from typing import Literal
from uuid import UUID

from processors.deciding.change import Change
from processors.deciding.model import (
    CellKey,
    Claim,
    Evidence,
    Order,
    Slot,
    SlotKey,
    Standing,
    Story,
    microseconds,
)
from processors.deciding.placing import cardinality_of
from schemas.base import read_object
from schemas.commands import Command
from schemas.ids import derived_id
from schemas.inbox import Proposal


def stand(
    change: Change, command: Command, loser: Claim, ruling: Literal["rejected", "apart"], scope: str = ""
) -> None:
    """Keeps the ruling on the value of ``loser``, with what stood behind it."""
    supports = change.ws.supporters(loser)
    weights = [change.rules.weight(row.agent, change.slot.key) for row in supports]
    known = [weight for weight in weights if weight is not None]
    change.ws.put_standing(
        Standing(
            slot=change.slot.key,
            value_key=loser.value.key,
            polarity=loser.polarity,
            ruling=ruling,
            scope=scope,
            agents=tuple(row.agent for row in supports),
            origins=tuple(dict.fromkeys(name for row in supports for name in row.origins)),
            weight=max(known) if known else None,
            actor=command.actor,
            order=change.order,
            record_id=change.record_id,
        )
    )


def rescope(change: Change, command: Command, claim: Claim, scope: str) -> None:
    """Moves a claim to the slot of the same predicate with ``scope``; the old one stays as its history.

    Its evidence moves along, as if it had been said there: the new slot can be folded again by itself.
    """
    if claim.value.type == "ending":
        change.set_status(claim, "ended", "ruled")
        return
    stand(change, command, claim, "apart", scope)
    key = change.slot.key._replace(scope=scope)
    cell = CellKey(key, claim.cell.value_key)
    slot = _enter(change, claim, key)
    for other in change.ws.active(cell):
        if (other.value.key, other.polarity) == (claim.value.key, claim.polarity):
            change.set_status(claim, "superseded", "rescoped", valid_to=claim.valid_from)
            return
        change.set_status(
            other, "superseded", "rescoped_here", valid_to=max(other.valid_from, claim.valid_from)
        )
    moved = replace(
        claim,
        id=derived_id(_there(claim.created_by, key), "claim"),
        cell=cell,
        status="active",
        reason="rescoped",
        slot_version=slot.version,
        created_by=_there(claim.created_by, key),
        decided_by=change.record_id,
        superseded_by=None,
    )
    for support in change.ws.supporters(claim):
        change.ws.put_support(replace(support, cell=cell, claim_id=moved.id))
    change.set_status(claim, "superseded", "rescoped", valid_to=claim.valid_from)
    change.changed[moved.id] = "active"
    change.touch(moved, "added")


def _there(record_id: UUID, slot: SlotKey) -> UUID:
    """The id of a record in the slot that a ruling moved it to."""
    return derived_id(record_id, f"scope:{slot.scope}")


def _enter(change: Change, claim: Claim, key: SlotKey) -> Slot:
    """The slot that the claim moves to, with the claim's evidence in it."""
    told = {_id(story) for story in change.ws.stories.get(key, ())}
    slot = change.ws.slots.get(key) or Slot(key, cardinality_of(claim.cell))
    latest = slot.latest
    agents = {row.agent for row in change.ws.supporters(claim)}
    for story in change.ws.stories.get(change.slot.key, ()):
        proposal = _said(story, claim, agents)
        if proposal is not None and str(_there(proposal.id, key)) not in told:
            row = _evidence(story.id or proposal.id, proposal, key, claim)
            latest = row.order if latest is None else max(latest, row.order)
            change.moved.append(row)
    slot = replace(
        slot,
        version=slot.version + 1,
        records=slot.records + len(change.moved),
        latest=latest,
        # What was said about both is told in neither: a late word is put in its place by folding again.
        tangled=True,
    )
    change.ws.put_slot(slot)
    return slot


def _id(story: Story) -> str:
    return str(read_object(story.body).get("id"))


def _said(story: Story, claim: Claim, agents: set[str]) -> Proposal | None:
    """The proposal of a story if it says what the claim says, by an agent that stands behind it."""
    if read_object(story.body).get("type") != "proposal":
        return None
    proposal = Proposal.from_json(story.body)
    if proposal.act != "assert" or proposal.ended or proposal.polarity != claim.polarity:
        return None
    keys = {row.value.key for row in proposal.content.candidates}
    if proposal.id != claim.created_by and (claim.value.key not in keys or proposal.agent not in agents):
        return None
    return proposal


def _evidence(decision: UUID, proposal: Proposal, key: SlotKey, claim: Claim) -> Evidence:
    chosen = proposal.content.candidates[0]
    body = proposal.model_copy(update={"id": _there(proposal.id, key), "scope": key.scope})
    return Evidence(
        # The decision that it belongs to is still the proposal's own.
        id=decision,
        slot=key,
        claim_id=derived_id(_there(claim.created_by, key), "claim"),
        agent=proposal.agent,
        order=Order(microseconds(proposal.event_time), proposal.source, proposal.event_id, proposal.ordinal),
        origins=proposal.origins,
        confidence=proposal.confidence,
        basis=proposal.basis,
        polarity=proposal.polarity,
        ended=False,
        value_key=chosen.value.key,
        mention=proposal.content.mention.text,
        label=proposal.content.label,
        match=chosen.match,
        text=proposal.content.text,
        quote=proposal.content.quote.text if proposal.content.quote else "",
        received_at=proposal.received_at,
        body=body.to_json(),
    )
