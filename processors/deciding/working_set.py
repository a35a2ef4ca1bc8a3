"""The part of the ledger that a batch of inbox records can touch, held in memory while it folds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from processors.deciding.model import (
    CellKey,
    Claim,
    Decision,
    Dispute,
    Ending,
    Entity,
    EntityKey,
    Evidence,
    Slot,
    SlotKey,
    Support,
)
from schemas.base import Event
from schemas.inbox import Proposal


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What a batch needs to see: a store loads just this, the fold looks at nothing else.

    ``cells`` maps each cell to the earliest moment that a record of the batch speaks of. A store loads

    - which of ``record_ids`` are decided, the ``entities``, the ``slots``;
    - of each cell the claims whose ``reach`` is not before its moment: the live ones, and for late facts those that
      were closed or, never closed, began at that moment or after it;
    - all supports and all open disputes of the cells, and the claims that these disputes name, whatever they are;
    - the ``endings`` by slot and value key: those of the candidates' values, of what contains them, and the empty key.

    Claims come without their vectors: a decision never looks at one that is stored.
    """

    record_ids: tuple[UUID, ...]
    entities: tuple[EntityKey, ...]
    slots: tuple[SlotKey, ...]
    cells: dict[CellKey, datetime]
    endings: tuple[tuple[SlotKey, str], ...] = ()


def plan(proposals: Sequence[Proposal]) -> LoadPlan:
    """The working set of a batch. Both cells of every candidate: which one it is depends on what is loaded."""
    cells: dict[CellKey, datetime] = {}
    slots: dict[SlotKey, None] = {}
    entities: dict[EntityKey, None] = {}
    endings: dict[tuple[SlotKey, str], None] = {}
    for proposal in proposals:
        entities[EntityKey(proposal.tenant, proposal.entity)] = None
        moment = min(filter(None, (proposal.event_time, proposal.valid_from)))
        for candidate in proposal.content.candidates:
            slot = SlotKey(proposal.tenant, proposal.entity, candidate.predicate, proposal.scope)
            slots[slot] = None
            for key in ("", candidate.value.key):
                cell = CellKey(slot, key)
                cells[cell] = min(cells.get(cell, moment), moment)
            for key in ("", candidate.value.key, *candidate.value.within):
                endings[slot, key] = None
    ids = tuple(dict.fromkeys(proposal.id for proposal in proposals))
    return LoadPlan(ids, tuple(entities), tuple(slots), cells, tuple(endings))


@dataclass(slots=True)
class WorkingSet:
    """Loaded state plus what the fold changed. A store fills it, the fold edits it, the store flushes it."""

    decided: set[UUID] = field(default_factory=set)
    entities: dict[EntityKey, Entity] = field(default_factory=dict)
    slots: dict[SlotKey, Slot] = field(default_factory=dict)
    claims: dict[UUID, Claim] = field(default_factory=dict)
    by_cell: dict[CellKey, dict[UUID, None]] = field(default_factory=lambda: defaultdict(dict))
    supports: dict[CellKey, dict[str, Support]] = field(default_factory=lambda: defaultdict(dict))
    endings: dict[tuple[SlotKey, str], Ending] = field(default_factory=dict)
    #: Open disputes only.
    disputes: dict[CellKey, dict[UUID, Dispute]] = field(default_factory=lambda: defaultdict(dict))
    # What changed, in the order of the first change. New rows are inserted, the others updated.
    new: set[UUID | SlotKey | EntityKey | tuple[CellKey, str] | tuple[SlotKey, str]] = field(
        default_factory=set
    )
    dirty_entities: dict[EntityKey, Entity] = field(default_factory=dict)
    dirty_slots: dict[SlotKey, Slot] = field(default_factory=dict)
    dirty_claims: dict[UUID, Claim] = field(default_factory=dict)
    dirty_supports: dict[tuple[CellKey, str], Support] = field(default_factory=dict)
    dirty_endings: dict[tuple[SlotKey, str], Ending] = field(default_factory=dict)
    dirty_disputes: dict[UUID, Dispute] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    # -- filling (stores) ---------------------------------------------------------------------------------------
    def load_claim(self, claim: Claim) -> None:
        self.claims[claim.id] = claim
        self.by_cell[claim.cell][claim.id] = None

    def load_support(self, support: Support) -> None:
        self.supports[support.cell][support.agent] = support

    def load_dispute(self, dispute: Dispute) -> None:
        self.disputes[dispute.cell][dispute.id] = dispute

    # -- reading ------------------------------------------------------------------------------------------------
    def cell_claims(self, cell: CellKey) -> Iterator[Claim]:
        """The loaded claims of a cell, in the order of evidence (a fixed order, whatever the store returned)."""
        found = [self.claims[claim_id] for claim_id in self.by_cell.get(cell, ())]
        return iter(sorted(found, key=lambda claim: (claim.order, str(claim.id))))

    def active(self, cell: CellKey) -> list[Claim]:
        return [claim for claim in self.cell_claims(cell) if claim.status == "active"]

    def supporters(self, claim: Claim) -> list[Support]:
        """The agents that support the claim, by name."""
        rows = self.supports.get(claim.cell, {})
        return sorted((row for row in rows.values() if row.claim_id == claim.id), key=lambda row: row.agent)

    # -- changing (the fold) ------------------------------------------------------------------------------------
    def entity(self, key: EntityKey) -> Entity:
        if key not in self.entities:
            self.entities[key] = Entity(key)
            self.new.add(key)
        self.dirty_entities[key] = self.entities[key]
        return self.entities[key]

    def put_slot(self, slot: Slot) -> None:
        if slot.key not in self.slots:
            self.new.add(slot.key)
        self.slots[slot.key] = self.dirty_slots[slot.key] = slot

    def put_claim(self, claim: Claim) -> None:
        if claim.id not in self.claims:
            self.new.add(claim.id)
        self.load_claim(claim)
        self.dirty_claims[claim.id] = claim

    def put_support(self, support: Support) -> None:
        if support.agent not in self.supports[support.cell]:
            self.new.add((support.cell, support.agent))
        self.load_support(support)
        self.dirty_supports[(support.cell, support.agent)] = support

    def put_ending(self, ending: Ending) -> None:
        key = (ending.slot, ending.value_key)
        if key not in self.endings:
            self.new.add(key)
        self.endings[key] = self.dirty_endings[key] = ending

    def put_dispute(self, dispute: Dispute) -> None:
        if dispute.version == 1:
            self.new.add(dispute.id)
        if dispute.status == "open":
            self.load_dispute(dispute)
        else:
            self.disputes[dispute.cell].pop(dispute.id, None)
        self.dirty_disputes[dispute.id] = dispute

    def endings_for(self, slot: SlotKey, keys: Iterable[str]) -> list[Ending]:
        found = (self.endings.get((slot, key)) for key in dict.fromkeys((*keys, "")))
        return [ending for ending in found if ending is not None]
