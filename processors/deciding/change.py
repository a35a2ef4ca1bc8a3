"""One inbox record while it is decided: what it reads and how it changes the slot's claims and tells of it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from processors.deciding.control import Rules
from processors.deciding.model import CellKey, Claim, Dispute, DueAt, Entity, Evidence, Order, Slot, Support
from processors.deciding.working_set import WorkingSet
from schemas.claims import Change as ChangeKind
from schemas.claims import Status
from schemas.disputes import DisputeChanged
from schemas.ids import derived_id
from schemas.judge import JudgeRequest
from schemas.reviews import ReviewContent, ReviewRaised

#: At most this many origins are kept per supporter: the oldest, so that a first independent origin is never lost.
MAX_ORIGINS = 128
#: The number of a review of a material change, apart from those that a decision counts from 0.
MATERIAL = 1000
#: Of a review of what a guard holds.
HELD = 1001


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was decided: a case of the table, its outcome, the rule that applied, the claim it is about."""

    case: str
    outcome: str
    rule: str
    claim_id: UUID | None
    strategy: str = ""


@dataclass(slots=True, kw_only=True)
class Change:
    """What any record does to one slot. ``record_id`` is the inbox record's, ``at`` its event time."""

    ws: WorkingSet
    record_id: UUID
    at: datetime
    order: Order
    agent: str
    entity: Entity
    rules: Rules
    slot: Slot
    touched: dict[UUID, ChangeKind] = field(default_factory=dict)
    changed: dict[UUID, str] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    #: Dispute events, reviews and judge requests; they follow the claim events of the same decision.
    announcements: list[DisputeChanged | ReviewRaised | JudgeRequest] = field(default_factory=list)
    slot_touched: bool = False
    #: Evidence that a ruling moved to another slot.
    moved: list[Evidence] = field(default_factory=list)
    #: Claims that were active before this record and are not any more, in the order in which they left.
    left: dict[UUID, None] = field(default_factory=dict)

    def touch_slot(self) -> None:
        """The first change of a decision makes a new version of the slot."""
        if not self.slot_touched:
            self.slot_touched = True
            self.slot.version += 1
            self.ws.put_slot(self.slot)

    def touch(self, claim: Claim, change: ChangeKind) -> Claim:
        """Writes a changed claim and remembers to tell of it."""
        self.touch_slot()
        before = self.ws.claims.get(claim.id)
        if claim.status == "active":
            self.left.pop(claim.id, None)
        elif before is not None and before.status == "active":
            self.left[claim.id] = None
        if change in ("status", "added", "refined") or claim.id not in self.touched:
            self.touched[claim.id] = change if self.touched.get(claim.id) != "added" else "added"
        self.ws.put_claim(claim)
        self._schedule(claim)
        return claim

    def _schedule(self, claim: Claim) -> None:
        """Asks the timekeeper for the start of a scheduled claim and for the stated end of an active one."""
        if claim.status == "scheduled":
            self.ws.put_due(DueAt(self.entity.key, claim.id, "starts", claim.valid_from))
        elif claim.status == "active" and claim.valid_to is not None and claim.valid_to > self.at:
            self.ws.put_due(DueAt(self.entity.key, claim.id, "ends", claim.valid_to))

    def set_status(self, claim: Claim, status: Status, reason: str, **changes: Any) -> Claim:
        self.changed[claim.id] = status
        moved = replace(claim, status=status, reason=reason, decided_by=self.record_id, **changes)
        return self.touch(moved, "status")

    def put_support(self, claim: Claim, agent: str, confidence: float, origins: tuple[str, ...]) -> None:
        """Makes ``agent`` a supporter of ``claim`` by this record; in a cell it supports only its latest assertion."""
        own = self.ws.supports.get(claim.cell, {}).get(agent)
        kept = own.origins if own is not None and own.claim_id == claim.id else ()
        merged = tuple(dict.fromkeys((*kept, *origins)))[:MAX_ORIGINS]
        self.ws.put_support(Support(claim.cell, agent, claim.id, self.order, confidence, merged))
        if own is not None and own.claim_id != claim.id:
            self._left(own.claim_id)

    def _left(self, claim_id: UUID) -> None:
        """A disputed claim that nobody supports any more is superseded and its dispute withdrawn."""
        left = self.ws.claims.get(claim_id)
        if left is None or left.status != "disputed" or self.ws.supporters(left):
            return
        self.set_status(left, "superseded", "support_withdrawn", valid_to=max(left.valid_from, self.at))

    def review_material(self) -> None:
        """Asks for a person's eye where a value changed that the registry calls material, whoever changed it."""
        if not self.left:
            return
        spec = self.rules.registry.get(self.slot.key.predicate)
        if spec is None or not spec.material:
            return
        claims = self.ws.claims
        was = " and ".join(claims[key].value.text for key in self.left)
        follower = next((by for key in self.left if (by := claims[key].superseded_by) is not None), None)
        now = claims.get(follower) if follower is not None else None
        text = f"{spec.name} was {was}, is {now.value.text if now is not None else 'not known now'}"
        self.review("material_change", now or claims[next(iter(self.left))], text[:4096], MATERIAL)

    def review(self, reason: str, claim: Claim | None, text: str = "", number: int = 0) -> None:
        """Asks for a person's eye; ``number`` keeps several reviews of one record apart."""
        self.announcements.append(
            ReviewRaised(
                tenant=self.entity.key.tenant,
                entity=self.entity.key.entity,
                review_id=derived_id(self.record_id, f"review{number or ''}"),
                predicate=self.slot.key.predicate,
                scope=self.slot.key.scope,
                reason=reason,
                at=self.at,
                decided_by=self.record_id,
                content=ReviewContent(
                    claim_id=claim.id if claim else None, text=text or (claim.text if claim else "")
                ),
            )
        )

    def open_disputes(self, cell: CellKey) -> list[Dispute]:
        """The open disputes of a cell, oldest first."""
        return sorted(self.ws.disputes.get(cell, {}).values(), key=lambda row: (row.opened_at, str(row.id)))
