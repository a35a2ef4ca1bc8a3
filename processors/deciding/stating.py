"""From an inbox record to a statement: the predicate is fixed here, in inbox order, and the cell found."""

from processors.deciding.control import ControlView, Rules
from processors.deciding.model import CellKey, Entity, EntityKey, Order, Slot, SlotKey, microseconds
from processors.deciding.statement import Statement, slot_key
from processors.deciding.working_set import WorkingSet
from processors.predicates import fix
from schemas.facts import Cardinality
from schemas.inbox import Proposal
from schemas.inbox_records import InboxRecord
from schemas.values import TypedValue


def advance(ws: WorkingSet, record: InboxRecord) -> Entity:
    """An entity is decided under the highest versions it has seen: an older stamp never takes it back."""
    entity = ws.entity(EntityKey(record.tenant, record.entity))
    entity.policy = max(entity.policy, record.versions.policy)
    entity.authority = max(entity.authority, record.versions.authority)
    entity.registry = max(entity.registry, record.versions.registry)
    return entity


def order_of(record: InboxRecord) -> Order:
    ordinal = record.ordinal if isinstance(record, Proposal) else 0
    return Order(microseconds(record.event_time), record.source, record.event_id, ordinal)


def statement_of(ws: WorkingSet, proposal: Proposal, view: ControlView) -> Statement:
    """Fixes the predicate, in inbox order, and finds the cell."""
    entity = advance(ws, proposal)
    rules = Rules.at(view, entity)
    known: dict[str, Cardinality] = {}
    for candidate in proposal.content.candidates:
        held = ws.slots.get(slot_key(proposal, candidate.predicate))
        if held is not None:
            known[candidate.predicate] = held.cardinality
    fixed = fix(proposal.content.candidates, proposal.cardinality_hint, rules.registry, known)
    slot = _slot(
        ws, apart_slot(ws, proposal, slot_key(proposal, fixed.predicate), fixed.value), fixed.cardinality
    )
    return Statement(
        ws=ws,
        record_id=proposal.id,
        at=proposal.event_time,
        order=order_of(proposal),
        agent=proposal.agent,
        entity=entity,
        rules=rules,
        slot=slot,
        proposal=proposal,
        cell=CellKey(slot.key, "" if slot.cardinality == "one" else fixed.value.key),
        value=fixed.value,
        match=fixed.match,
        cardinality=fixed.cardinality,
        held=proposal.held,
    )


def _slot(ws: WorkingSet, key: SlotKey, cardinality: Cardinality) -> Slot:
    slot = ws.slots.get(key)
    if slot is None:
        slot = Slot(key, cardinality)
        ws.put_slot(slot)
    return slot


def apart_slot(ws: WorkingSet, proposal: Proposal, key: SlotKey, value: TypedValue) -> SlotKey:
    """A value that a person ruled to be no conflict has a scope of its own."""
    ruling = ws.standings.get((key, value.key, proposal.polarity))
    return key._replace(scope=ruling.scope) if ruling is not None and ruling.ruling == "apart" else key
