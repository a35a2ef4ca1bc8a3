"""What is believed, in memory: the tables of claims and what belongs to them, loaded and flushed as on Postgres."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from uuid import UUID

import orjson

from processors.deciding.model import (
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
    versions_of,
)
from processors.deciding.others import Locate
from processors.deciding.working_set import LoadPlan, WorkingSet, every_slot
from schemas.errors import IntegrityError
from schemas.facts import Cardinality
from schemas.reviews import ReviewRaised
from sinks.derived import Ground, derived, origins_of
from sinks.memory_tables import Layer, Table


def _entities() -> Table[EntityKey, Entity]:
    return Table()


def _slots() -> Table[SlotKey, Slot]:
    return Table({"owner": lambda row: row.key.owner})


def _claims() -> Table[UUID, Claim]:
    return Table({"cell": lambda row: row.cell, "slot": lambda row: row.cell.slot})


def _supports() -> Table[tuple[CellKey, str], Support]:
    return Table({"cell": lambda row: row.cell, "slot": lambda row: row.cell.slot})


def _endings() -> Table[tuple[SlotKey, str], Ending]:
    return Table({"slot": lambda row: row.slot})


def _disputes() -> Table[UUID, Dispute]:
    open_cell = lambda row: row.cell if row.status == "open" else None  # noqa: E731
    return Table({"open": open_cell, "slot": lambda row: row.cell.slot})


def _evidence() -> Table[tuple[SlotKey, UUID], Evidence]:
    return Table({"slot": lambda row: row.slot, "owner": lambda row: row.slot.owner})


def _standings() -> Table[tuple[SlotKey, str, str], Standing]:
    return Table({"slot": lambda row: row.slot})


def _retractions() -> Table[tuple[UUID, SlotKey, str], Retraction]:
    return Table({"slot": lambda row: row.slot, "id": lambda row: row.id})


def _pending() -> Table[UUID, Pending]:
    return Table({"slot": lambda row: row.slot})


@dataclass(slots=True)
class BelievedTables:
    """What is committed."""

    entities: Table[EntityKey, Entity] = field(default_factory=_entities)
    slots: Table[SlotKey, Slot] = field(default_factory=_slots)
    claims: Table[UUID, Claim] = field(default_factory=_claims)
    supports: Table[tuple[CellKey, str], Support] = field(default_factory=_supports)
    endings: Table[tuple[SlotKey, str], Ending] = field(default_factory=_endings)
    disputes: Table[UUID, Dispute] = field(default_factory=_disputes)
    evidence: Table[tuple[SlotKey, UUID], Evidence] = field(default_factory=_evidence)
    decisions: Table[UUID, Decision] = field(default_factory=Table)
    standings: Table[tuple[SlotKey, str, str], Standing] = field(default_factory=_standings)
    retractions: Table[tuple[UUID, SlotKey, str], Retraction] = field(default_factory=_retractions)
    pending: Table[UUID, Pending] = field(default_factory=_pending)
    dues: Table[tuple[UUID, str], DueAt] = field(default_factory=Table)
    reviews: Table[UUID, ReviewRaised] = field(default_factory=Table)


class Believed:
    """The tables as one transaction sees them. Rows go in and out as copies: the fold changes some in place."""

    def __init__(self, tables: BelievedTables) -> None:
        self.entities = Layer(tables.entities)
        self.slots = Layer(tables.slots)
        self.claims = Layer(tables.claims)
        self.supports = Layer(tables.supports)
        self.endings = Layer(tables.endings)
        self.disputes = Layer(tables.disputes)
        self.evidence = Layer(tables.evidence)
        self.decisions = Layer(tables.decisions)
        self.standings = Layer(tables.standings)
        self.retractions = Layer(tables.retractions)
        self.pending = Layer(tables.pending)
        self.dues = Layer(tables.dues)
        self.reviews = Layer(tables.reviews)

    def commit(self) -> None:
        for name in (row.name for row in fields(BelievedTables)):
            getattr(self, name).commit()

    # -- loading --------------------------------------------------------------------------------------------------
    def load(self, plan: LoadPlan) -> WorkingSet:
        ws = WorkingSet()
        ws.decided.update(key for key in plan.record_ids if key in self.decisions)
        for owner in plan.entities:
            if (entity := self.entities.get(owner)) is not None:
                ws.entities[owner] = replace(entity)
        slots = tuple(dict.fromkeys((*plan.slots, *plan.whole)))
        for key in slots:
            if (slot := self.slots.get(key)) is not None:
                ws.slots[key] = replace(slot)
        self._load_cells(plan, ws)
        self._load_rulings(plan, slots, ws)
        for key in plan.whole:
            self._load_whole(key, ws)
        self._load_derived(plan.whole, ws)
        for dispute in [row for rows in ws.disputes.values() for row in rows.values()]:
            for claim_id in (dispute.challenger, *dispute.incumbents):
                claim = self.claims.get(claim_id)
                if claim_id not in ws.claims and claim is not None:
                    ws.load_claim(replace(claim, vector=""))
        return ws

    def _load_cells(self, plan: LoadPlan, ws: WorkingSet) -> None:
        for cell, moment in plan.cells.items():
            for claim in self.claims.find("cell", cell):
                if claim.reach >= moment:
                    ws.load_claim(replace(claim, vector=""))
            for support in self.supports.find("cell", cell):
                ws.load_support(replace(support))
            for dispute in self.disputes.find("open", cell):
                ws.load_dispute(replace(dispute))
        for key in plan.endings:
            if (ending := self.endings.get(key)) is not None:
                ws.endings[key] = replace(ending)

    def _load_rulings(self, plan: LoadPlan, slots: Sequence[SlotKey], ws: WorkingSet) -> None:
        for slot in slots:
            for standing in self.standings.find("slot", slot):
                ws.standings[standing.slot, standing.value_key, standing.polarity] = replace(standing)
        for slot in dict.fromkeys((*slots, *(every_slot(owner) for owner in plan.entities))):
            for row in self.retractions.find("slot", slot):
                if not row.undone or slot in plan.whole:
                    ws.retractions[row.id, row.slot, row.value_key] = replace(row)

    def _load_whole(self, slot: SlotKey, ws: WorkingSet) -> None:
        for claim in self.claims.find("slot", slot):
            ws.load_claim(replace(claim, vector=""))
        for support in self.supports.find("slot", slot):
            ws.load_support(replace(support))
        for ending in self.endings.find("slot", slot):
            ws.endings[ending.slot, ending.value_key] = replace(ending)
        for dispute in self.disputes.find("slot", slot):
            if dispute.status == "open":
                ws.load_dispute(replace(dispute))
            else:
                ws.closed_disputes[dispute.id] = replace(dispute)
        ws.pending.update((row.claim_id, row) for row in self.pending.find("slot", slot))
        told = [
            Story(decision.number, row.body, row.id, versions_of(decision))
            for row in self.evidence.find("slot", slot)
            if (decision := self.decisions.get(row.id)) is not None
        ]
        ws.stories[slot] = sorted(told, key=lambda story: story.number)

    def _load_derived(self, slots: Sequence[SlotKey], ws: WorkingSet) -> None:
        for owner in dict.fromkeys(slot.owner for slot in slots):
            told = [row for slot in slots if slot.owner == owner for row in self.evidence.find("slot", slot)]
            grounds = [Ground(row.claim_id, row.order.source, row.order.event_id) for row in told]
            claims = [key for key, row in ws.claims.items() if row.cell.slot.owner == owner]
            rests = [
                (origin, row.claim_id)
                for row in self.evidence.find("owner", owner)
                if row.claim_id is not None
                for origin in row.origins
                if origin != f"{row.order.source}:{row.order.event_id}"
            ]
            ws.derived.update(derived(origins_of(claims, grounds), rests))

    def locate(self, wanted: Locate) -> list[SlotKey]:
        """See sinks.ports.Transaction, for one question."""
        claims = (self.claims.get(key) for key in wanted.claims)
        disputes = (self.disputes.get(key) for key in wanted.disputes)
        records = (self.decisions.get(key) for key in wanted.records)
        found = {row.cell.slot for row in (*claims, *disputes) if row is not None}
        found.update(row.slot for row in records if row is not None)
        if wanted.events:
            said = self.evidence.find("owner", wanted.owner)
            found.update(row.slot for row in said if (row.order.source, row.order.event_id) in wanted.events)
        found.update(row.slot for key in wanted.retractions for row in self.retractions.find("id", key))
        if wanted.every or every_slot(wanted.owner) in found:
            found.update(row.key for row in self.slots.find("owner", wanted.owner))
        return sorted(slot for slot in found if slot.owner == wanted.owner and slot in self.slots)

    def slots_held(self, tenant: str, predicates: Collection[str]) -> list[tuple[SlotKey, Cardinality]]:
        """See sinks.ports.Transaction."""
        beginnings = tuple(name[:-1] for name in predicates if name.endswith("*"))
        found = []
        for key, slot in self.slots.items():
            named = key.predicate in predicates or (beginnings and key.predicate.startswith(beginnings))
            owner = self.entities.get(key.owner)
            if key.tenant == tenant and named and owner is not None and not owner.moved_to:
                found.append((key, slot.cardinality))
        return sorted(found)

    # -- writing --------------------------------------------------------------------------------------------------
    def flush(self, ws: WorkingSet) -> None:
        refuse(self.decisions, [row.id for row in ws.decisions], "decisions")
        _put(self.entities, ((key, replace(row)) for key, row in ws.dirty_entities.items()))
        _put(self.slots, ((key, replace(row)) for key, row in ws.dirty_slots.items()))
        for claim in ws.dirty_claims.values():
            held = self.claims.get(claim.id)
            kept = held.vector if held is not None and not claim.vector else claim.vector
            self.claims.put(claim.id, replace(claim, vector=kept))
        _remove(self.supports, ws.removed_supports)
        _remove(self.endings, ws.removed_endings)
        _remove(self.standings, ws.removed_standings)
        _remove(self.pending, ws.removed_pending)
        _put(self.supports, ws.dirty_supports.items())
        _put(self.endings, ws.dirty_endings.items())
        _put(self.standings, ws.dirty_standings.items())
        _put(self.retractions, ws.dirty_retractions.items())
        _put(self.pending, ws.dirty_pending.items())
        _put(self.disputes, ws.dirty_disputes.items())
        for due_key, due in ws.dues.items():
            if due.at is None:
                self.dues.remove(due_key)
            else:
                self.dues.put(due_key, due)
        _put(self.evidence, (((row.slot, row.id), row) for row in ws.evidence))
        # As a store would give it back: JSON has no tuples.
        for row in ws.decisions:
            self.decisions.put(row.id, replace(row, detail=orjson.loads(orjson.dumps(row.detail))))
        raised = (event for event in ws.events if isinstance(event, ReviewRaised))
        _put(self.reviews, ((event.review_id, event) for event in raised))

    def mark_due_sent(self, rows: Sequence[DueAt]) -> None:
        for row in rows:
            held = self.dues.get((row.target, row.what))
            if held is not None and held.at == row.at:
                self.dues.remove((row.target, row.what))


def _put(layer: Layer[Any, Any], rows: Iterable[tuple[Any, Any]]) -> None:
    for key, row in rows:
        layer.put(key, row)


def _remove(layer: Layer[Any, Any], keys: Iterable[Any]) -> None:
    for key in keys:
        layer.remove(key)


def refuse(layer: Layer[UUID, Any], added: Sequence[UUID], name: str) -> None:
    """Raises IntegrityError when a row of that key is there already, or comes twice."""
    if len(set(added)) < len(added) or any(key in layer for key in added):
        raise IntegrityError(f"the ledger has such a row already ({name}); nothing was changed")
