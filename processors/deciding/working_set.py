"""The part of the ledger that a batch of inbox records can touch, held in memory while it folds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from processors.deciding.model import (
    BEGINNING,
    FOREVER,
    CellKey,
    Claim,
    Decision,
    Dispute,
    DueAt,
    Ending,
    Entity,
    EntityKey,
    Evidence,
    Pending,
    Retraction,
    Slot,
    SlotKey,
    Standing,
    Story,
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
    - the ``endings`` by slot and value key: those of the candidates' values, of what contains them, and the empty key;
    - all standing rulings and the retractions in force of the ``slots``, and those of the entities' slot ``*``.

    Claims come without their vectors: a decision never looks at one that is stored.
    """

    record_ids: tuple[UUID, ...]
    entities: tuple[EntityKey, ...]
    slots: tuple[SlotKey, ...]
    cells: dict[CellKey, datetime]
    endings: tuple[tuple[SlotKey, str], ...] = ()
    #: Slots to load with everything: every claim, support, ending and dispute whatever its status, the standing
    #: rulings, the retractions (undone ones too) and the stories (records of the slot with their numbers).
    whole: tuple[SlotKey, ...] = ()


def every_slot(owner: EntityKey) -> SlotKey:
    """Stands for all slots of an entity ("forget all about the tent")."""
    return SlotKey(owner.tenant, owner.entity, "*", "")


def plan(proposals: Sequence[Proposal]) -> LoadPlan:
    """The working set of a batch. Both cells of every candidate: which one it is depends on what is loaded."""
    cells: dict[CellKey, datetime] = {}
    slots: dict[SlotKey, None] = {}
    entities: dict[EntityKey, None] = {}
    endings: dict[tuple[SlotKey, str], None] = {}
    for proposal in proposals:
        entities[EntityKey(proposal.tenant, proposal.entity)] = None
        # What is over may have closed long ago: it must be seen to be known.
        moment = (
            BEGINNING if proposal.ended else min(filter(None, (proposal.event_time, proposal.valid_from)))
        )
        for candidate in proposal.content.candidates:
            slot = SlotKey(proposal.tenant, proposal.entity, candidate.predicate, proposal.scope)
            slots[slot] = None
            for key in ("", candidate.value.key, *candidate.excludes):
                cell = CellKey(slot, key)
                cells[cell] = min(cells.get(cell, moment), moment)
            for key in ("", candidate.value.key, *candidate.value.within):
                endings[slot, key] = None
    ids = tuple(dict.fromkeys(proposal.id for proposal in proposals))
    return LoadPlan(ids, tuple(entities), tuple(slots), cells, tuple(endings))


def joined(plans: Sequence[LoadPlan]) -> LoadPlan:
    """One plan for all that the plans name; they are of different entities."""
    return LoadPlan(
        tuple(key for one in plans for key in one.record_ids),
        tuple(key for one in plans for key in one.entities),
        tuple(slot for one in plans for slot in one.slots),
        {cell: moment for one in plans for cell, moment in one.cells.items()},
        tuple(key for one in plans for key in one.endings),
        tuple(slot for one in plans for slot in one.whole),
    )


def apart(ws: "WorkingSet", proposals: Sequence[Proposal]) -> LoadPlan | None:
    """What else to load when a person ruled that some value has a slot of its own; None when nothing."""
    cells: dict[CellKey, datetime] = {}
    for proposal in proposals:
        moment = min(filter(None, (proposal.event_time, proposal.valid_from)))
        for candidate in proposal.content.candidates:
            slot = SlotKey(proposal.tenant, proposal.entity, candidate.predicate, proposal.scope)
            ruling = ws.standings.get((slot, candidate.value.key, proposal.polarity))
            if ruling is not None and ruling.ruling == "apart":
                for key in ("", candidate.value.key):
                    cell = CellKey(slot._replace(scope=ruling.scope), key)
                    cells[cell] = min(cells.get(cell, moment), moment)
    slots = tuple(dict.fromkeys(cell.slot for cell in cells))
    return LoadPlan((), (), slots, cells) if cells else None


def parties(ws: "WorkingSet") -> LoadPlan | None:
    """What else to load for open disputes with incumbents in other cells (values that exclude one another)."""
    cells: dict[CellKey, datetime] = {}
    for rows in ws.disputes.values():
        for dispute in rows.values():
            for key in dispute.incumbents:
                claim = ws.claims.get(key)
                if claim is not None and claim.cell != dispute.cell:
                    cells[claim.cell] = FOREVER
    return LoadPlan((), (), (), cells) if cells else None


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
    #: Claims that wait for a judge, of slots that were loaded whole.
    pending: dict[UUID, Pending] = field(default_factory=dict)
    #: Claim to the claims of the entity with evidence derived from its evidence, for slots that were loaded whole.
    derived: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    dirty_pending: dict[UUID, Pending] = field(default_factory=dict)
    removed_pending: set[UUID] = field(default_factory=set)
    # What changed, in the order of the first change. New rows are inserted, the others updated.
    new: set[Any] = field(default_factory=set)
    dirty_entities: dict[EntityKey, Entity] = field(default_factory=dict)
    dirty_slots: dict[SlotKey, Slot] = field(default_factory=dict)
    dirty_claims: dict[UUID, Claim] = field(default_factory=dict)
    dirty_supports: dict[tuple[CellKey, str], Support] = field(default_factory=dict)
    dirty_endings: dict[tuple[SlotKey, str], Ending] = field(default_factory=dict)
    dirty_disputes: dict[UUID, Dispute] = field(default_factory=dict)
    standings: dict[tuple[SlotKey, str, str], Standing] = field(default_factory=dict)
    retractions: dict[tuple[UUID, SlotKey, str], Retraction] = field(default_factory=dict)
    #: Closed disputes of slots that were loaded whole.
    closed_disputes: dict[UUID, Dispute] = field(default_factory=dict)
    stories: dict[SlotKey, list[Story]] = field(default_factory=dict)
    dirty_standings: dict[tuple[SlotKey, str, str], Standing] = field(default_factory=dict)
    dirty_retractions: dict[tuple[UUID, SlotKey, str], Retraction] = field(default_factory=dict)
    #: Rows that a refold found to have no ground any more; a store deletes them.
    removed_supports: set[tuple[CellKey, str]] = field(default_factory=set)
    removed_endings: set[tuple[SlotKey, str]] = field(default_factory=set)
    removed_standings: set[tuple[SlotKey, str, str]] = field(default_factory=set)
    #: Moments at which the timekeeper is to put a ``due`` record into the inbox, by (target, what).
    dues: dict[tuple[UUID, str], DueAt] = field(default_factory=dict)
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

    def merge(self, other: "WorkingSet") -> None:
        """Adds what was loaded by a second plan; what is here already stays."""
        self.decided |= other.decided
        self.entities = {**other.entities, **self.entities}
        self.slots = {**other.slots, **self.slots}
        self.endings = {**other.endings, **self.endings}
        self.standings = {**other.standings, **self.standings}
        self.retractions = {**other.retractions, **self.retractions}
        self.closed_disputes = {**other.closed_disputes, **self.closed_disputes}
        self.stories = {**other.stories, **self.stories}
        self.pending = {**other.pending, **self.pending}
        self.derived = {**other.derived, **self.derived}
        for claim in other.claims.values():
            if claim.id not in self.claims:
                self.load_claim(claim)
        for rows in other.supports.values():
            for support in rows.values():
                if support.agent not in self.supports[support.cell]:
                    self.load_support(support)
        for found in other.disputes.values():
            for dispute in found.values():
                if dispute.id not in self.disputes[dispute.cell]:
                    self.load_dispute(dispute)

    # -- reading ------------------------------------------------------------------------------------------------
    def cell_claims(self, cell: CellKey) -> Iterator[Claim]:
        """The loaded claims of a cell, in the order of evidence (a fixed order, whatever the store returned).

        Without those whose evidence was moved to another entity.
        """
        found = [claim for key in self.by_cell.get(cell, ()) if not (claim := self.claims[key]).away]
        if len(found) > 1:
            found.sort(key=lambda claim: (claim.order, str(claim.id)))
        return iter(found)

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
        elif self.claims[claim.id].cell != claim.cell:
            self.by_cell[self.claims[claim.id].cell].pop(claim.id, None)
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
        if dispute.version == 1 and dispute.id not in self.closed_disputes:
            self.new.add(dispute.id)
        if dispute.status == "open":
            self.load_dispute(dispute)
        else:
            self.disputes[dispute.cell].pop(dispute.id, None)
        self.dirty_disputes[dispute.id] = dispute

    def put_standing(self, row: Standing) -> None:
        key = (row.slot, row.value_key, row.polarity)
        if key not in self.standings:
            self.new.add(key)
        self.removed_standings.discard(key)
        self.standings[key] = self.dirty_standings[key] = row

    def remove_standing(self, key: tuple[SlotKey, str, str]) -> None:
        if self.standings.pop(key, None) is not None:
            self.dirty_standings.pop(key, None)
            if key in self.new:
                self.new.discard(key)
            else:
                self.removed_standings.add(key)

    def put_retraction(self, row: Retraction) -> None:
        key = (row.id, row.slot, row.value_key)
        if key not in self.retractions:
            self.new.add(key)
        self.retractions[key] = self.dirty_retractions[key] = row

    def put_pending(self, row: Pending) -> None:
        if row.claim_id not in self.pending:
            self.new.add((row.claim_id, "pending"))
        self.removed_pending.discard(row.claim_id)
        self.pending[row.claim_id] = self.dirty_pending[row.claim_id] = row

    def forget_pending(self, claim_id: UUID) -> None:
        if self.pending.pop(claim_id, None) is not None:
            self.dirty_pending.pop(claim_id, None)
            self.removed_pending.add(claim_id)

    def put_due(self, due: DueAt) -> None:
        self.dues[due.target, due.what] = due

    def remove_support(self, cell: CellKey, agent: str) -> None:
        if self.supports[cell].pop(agent, None) is not None:
            self.dirty_supports.pop((cell, agent), None)
            if (cell, agent) in self.new:
                self.new.discard((cell, agent))
            else:
                self.removed_supports.add((cell, agent))

    def remove_ending(self, key: tuple[SlotKey, str]) -> None:
        if self.endings.pop(key, None) is not None:
            self.dirty_endings.pop(key, None)
            if key in self.new:
                self.new.discard(key)
            else:
                self.removed_endings.add(key)

    def retractions_of(self, slot: SlotKey) -> list[Retraction]:
        """The retractions in force that cover the slot, those of the whole entity included."""
        rows = (row for row in self.retractions.values() if not row.undone)
        return [row for row in rows if row.slot == slot or row.slot == every_slot(slot.owner)]

    def endings_for(self, slot: SlotKey, keys: Iterable[str]) -> list[Ending]:
        if not self.endings:
            return []
        found = (self.endings.get((slot, key)) for key in dict.fromkeys((*keys, "")))
        return [ending for ending in found if ending is not None]
