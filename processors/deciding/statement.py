"""One statement while it is decided, and the ways in which it can change the working set."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from processors.deciding.control import Rules
from processors.deciding.model import (
    CellKey,
    Claim,
    Dispute,
    Ending,
    Entity,
    Order,
    Slot,
    SlotKey,
    Support,
    earliest,
)
from processors.deciding.working_set import WorkingSet
from schemas.claims import Change, Status
from schemas.disputes import DisputeChanged
from schemas.ids import derived_id
from schemas.inbox import Match, Proposal
from schemas.reviews import ReviewContent, ReviewRaised
from schemas.values import TypedValue

#: At most this many origins are kept per supporter: the oldest, so that a first independent origin is never lost.
MAX_ORIGINS = 128


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was decided: a case of the table, its outcome, the rule that applied, the claim it is about."""

    case: str
    outcome: str
    rule: str
    claim_id: UUID | None
    strategy: str = ""


@dataclass(slots=True)
class Statement:
    """A proposal with its fixed predicate, its cell and the state around it."""

    ws: WorkingSet
    proposal: Proposal
    entity: Entity
    rules: Rules
    slot: Slot
    cell: CellKey
    value: TypedValue
    match: Match
    order: Order
    touched: dict[UUID, Change] = field(default_factory=dict)
    changed: dict[UUID, str] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    #: Dispute events and reviews; they follow the claim events of the same decision.
    announcements: list[DisputeChanged | ReviewRaised] = field(default_factory=list)
    _slot_touched: bool = False

    # -- reading ------------------------------------------------------------------------------------------------
    @property
    def agent(self) -> str:
        return self.proposal.agent

    @property
    def weak(self) -> bool:
        return self.match == "weak"

    @property
    def valid_from(self) -> datetime:
        return self.proposal.valid_from or self.proposal.event_time

    def own_latest(self) -> Support | None:
        return self.ws.supports.get(self.cell, {}).get(self.agent)

    def opponents(self, conflicts: list[Claim]) -> list[Support]:
        """The other agents that support what this statement contradicts."""
        rows = (support for claim in conflicts for support in self.ws.supporters(claim))
        return [support for support in rows if support.agent != self.agent]

    def twin(self, *statuses: Status) -> Claim | None:
        """A claim of the cell with the same value and polarity in one of ``statuses``."""
        for claim in self.ws.cell_claims(self.cell):
            same = claim.value.key == self.value.key and claim.polarity == self.proposal.polarity
            if same and claim.status in statuses:
                return claim
        return None

    def closing(self) -> Ending | None:
        """A later "no longer" that already closes what is being said, if its source may close it."""
        if self.proposal.polarity != "+":
            return None
        for ending in self.ws.endings_for(self.slot.key, (self.value.key, *self.value.within)):
            if ending.order > self.order and self._may_close(ending):
                return ending
        return None

    def _may_close(self, ending: Ending) -> bool:
        if ending.agent == self.agent or self.rules.rule_for(self.slot.key).strategy != "authority":
            return True
        mine = self.rules.weight(self.agent, self.slot.key)
        theirs = self.rules.weight(ending.agent, self.slot.key)
        return (mine is None and theirs is None) or (theirs or 0.0) > (mine or 0.0)

    def next_assertion(self, moment: datetime) -> datetime | None:
        """When the cell was next asserted after ``moment``: there a late fact's period ends."""
        starts = [claim.valid_from for claim in self.ws.cell_claims(self.cell) if claim.status != "candidate"]
        confirmed = [support.order.at for support in self.ws.supports.get(self.cell, {}).values()]
        return earliest(at for at in (*starts, *confirmed) if at > moment)

    # -- changing -----------------------------------------------------------------------------------------------
    def touch(self, claim: Claim, change: Change) -> Claim:
        """Writes a changed claim; the first change of a decision makes a new version of the slot."""
        if not self._slot_touched:
            self._slot_touched = True
            self.slot.version += 1
            self.ws.put_slot(self.slot)
        if change in ("status", "added", "refined") or claim.id not in self.touched:
            self.touched[claim.id] = change if self.touched.get(claim.id) != "added" else "added"
        self.ws.put_claim(claim)
        return claim

    def set_status(self, claim: Claim, status: Status, reason: str, **changes: Any) -> Claim:
        self.changed[claim.id] = status
        moved = replace(claim, status=status, reason=reason, decided_by=self.proposal.id, **changes)
        return self.touch(moved, "status")

    def add_claim(self, status: Status, reason: str, valid_to: datetime | None = None) -> Claim:
        """A new claim from this statement."""
        proposal = self.proposal
        claim = Claim(
            id=derived_id(proposal.id, "claim"),
            cell=self.cell,
            value=self.value,
            polarity=proposal.polarity,
            kind=proposal.kind,
            basis=proposal.basis,
            status=status,
            reason=reason,
            text=proposal.content.text,
            vector=proposal.content.vector,
            embedding_model=proposal.embedding_model,
            confidence=proposal.confidence,
            valid_from=self.valid_from,
            valid_to=valid_to if valid_to is not None else proposal.valid_to,
            last_confirmed=proposal.event_time,
            order=self.order,
            slot_version=self.slot.version + (0 if self._slot_touched else 1),
            created_by=proposal.id,
            decided_by=proposal.id,
            weak=self.weak,
        )
        self.changed[claim.id] = status
        return self.touch(claim, "added")

    def become(self, status: Status, reason: str, twin: Claim | None) -> Claim:
        """The claim of this statement in ``status``: a parked one with the same value, else a new one."""
        if twin is None:
            return self.add_claim(status, reason)
        observed = {"basis": self.proposal.basis} if self.proposal.basis == "observed" else {}
        confidence = max(twin.confidence, self.proposal.confidence)
        start = min(twin.valid_from, self.valid_from) if status == twin.status else self.valid_from
        weak = twin.weak and self.weak
        return self.set_status(
            twin,
            status,
            reason,
            confidence=confidence,
            valid_from=start,
            valid_to=None,
            weak=weak,
            **observed,
        )

    def support(self, claim: Claim) -> None:
        """Makes this agent a supporter of ``claim``; in a cell it supports only its latest assertion.

        A weakly aligned statement corroborates but does not withdraw what the agent said plainly.
        """
        own = self.own_latest()
        if self.weak and own is not None and own.claim_id != claim.id:
            return
        kept = own.origins if own is not None and own.claim_id == claim.id else ()
        origins = tuple(dict.fromkeys((*kept, *self.proposal.origins)))[:MAX_ORIGINS]
        confidence = self.proposal.confidence
        self.ws.put_support(Support(self.cell, self.agent, claim.id, self.order, confidence, origins))
        if own is not None and own.claim_id != claim.id:
            self._left(own.claim_id)

    def _left(self, claim_id: UUID) -> None:
        """A disputed claim that nobody supports any more is superseded and its dispute withdrawn."""
        left = self.ws.claims.get(claim_id)
        if left is None or left.status != "disputed" or self.ws.supporters(left):
            return
        self.set_status(
            left, "superseded", "support_withdrawn", valid_to=max(left.valid_from, self.valid_from)
        )

    def confirm(self, claim: Claim) -> Claim:
        """Another observation of a claim: later confirmation, the best confidence seen (never added up)."""
        confirmed = replace(
            claim,
            last_confirmed=max(claim.last_confirmed, self.proposal.event_time),
            confidence=max(claim.confidence, self.proposal.confidence),
        )
        return self.touch(confirmed, "confirmed")

    def review(self, reason: str, claim: Claim | None) -> None:
        proposal = self.proposal
        self.announcements.append(
            ReviewRaised(
                tenant=proposal.tenant,
                entity=proposal.entity,
                review_id=derived_id(proposal.id, "review"),
                predicate=self.slot.key.predicate,
                scope=self.slot.key.scope,
                reason=reason,
                at=proposal.event_time,
                decided_by=proposal.id,
                content=ReviewContent(claim_id=claim.id if claim else None, text=proposal.content.text),
            )
        )


def open_disputes(ws: WorkingSet, cell: CellKey) -> list[Dispute]:
    """The open disputes of a cell, oldest first."""
    return sorted(ws.disputes.get(cell, {}).values(), key=lambda row: (row.opened_at, str(row.id)))


def slot_key(proposal: Proposal, predicate: str) -> SlotKey:
    return SlotKey(proposal.tenant, proposal.entity, predicate, proposal.scope)
