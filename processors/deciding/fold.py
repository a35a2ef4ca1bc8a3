"""Folds inbox records into the working set, one decision per record, in inbox order."""

from collections.abc import Iterable

from processors.deciding.cases import decide
from processors.deciding.change import Ruling
from processors.deciding.control import ControlView, Rules
from processors.deciding.disputes import settle
from processors.deciding.model import (
    CellKey,
    Decision,
    Entity,
    EntityKey,
    Evidence,
    Order,
    Slot,
    microseconds,
)
from processors.deciding.statement import Statement, slot_key
from processors.deciding.working_set import WorkingSet
from processors.predicates import fix
from schemas.claims import ClaimChanged, ClaimContent
from schemas.disputes import DisputeChanged
from schemas.facts import Cardinality
from schemas.inbox import Proposal


def fold(ws: WorkingSet, proposals: Iterable[Proposal], view: ControlView) -> int:
    """Decides every record that has no decision yet; returns how many were duplicates.

    The outcome does not depend on how records are cut into batches: a record sees what the ones before it left,
    whether that is still in memory or was loaded back from the store.
    """
    duplicates = 0
    for proposal in proposals:
        if proposal.id in ws.decided:
            duplicates += 1
            continue
        ws.decided.add(proposal.id)
        _decide_one(ws, proposal, view)
    return duplicates


def _decide_one(ws: WorkingSet, proposal: Proposal, view: ControlView) -> None:
    entity = _advance(ws, proposal)
    statement = _statement(ws, proposal, entity, view)
    ruling = decide(statement)
    settle(statement, statement.cell)
    _announce(statement, ruling)
    entity.decisions += 1
    ws.evidence.append(_evidence(statement, ruling))
    ws.decisions.append(_decision(statement, ruling))


def _advance(ws: WorkingSet, proposal: Proposal) -> Entity:
    """An entity is decided under the highest versions it has seen: an older stamp never takes it back."""
    entity = ws.entity(EntityKey(proposal.tenant, proposal.entity))
    entity.policy = max(entity.policy, proposal.versions.policy)
    entity.authority = max(entity.authority, proposal.versions.authority)
    entity.registry = max(entity.registry, proposal.versions.registry)
    return entity


def _statement(ws: WorkingSet, proposal: Proposal, entity: Entity, view: ControlView) -> Statement:
    rules = Rules.at(view, entity)
    known: dict[str, Cardinality] = {}
    for candidate in proposal.content.candidates:
        held = ws.slots.get(slot_key(proposal, candidate.predicate))
        if held is not None:
            known[candidate.predicate] = held.cardinality
    fixed = fix(proposal.content.candidates, proposal.cardinality_hint, rules.registry, known)
    key = slot_key(proposal, fixed.predicate)
    slot = ws.slots.get(key)
    if slot is None:
        slot = Slot(key, fixed.cardinality)
        ws.put_slot(slot)
    cell = CellKey(key, "" if slot.cardinality == "one" else fixed.value.key)
    order = Order(microseconds(proposal.event_time), proposal.source, proposal.event_id, proposal.ordinal)
    return Statement(
        ws=ws,
        record_id=proposal.id,
        at=proposal.event_time,
        order=order,
        agent=proposal.agent,
        entity=entity,
        rules=rules,
        slot=slot,
        proposal=proposal,
        cell=cell,
        value=fixed.value,
        match=fixed.match,
    )


def _announce(statement: Statement, ruling: Ruling) -> None:
    """One claim event per changed claim, each with the entity's next version; then disputes and reviews."""
    ws, entity, proposal = statement.ws, statement.entity, statement.proposal
    for claim_id, change in statement.touched.items():
        claim = ws.claims[claim_id]
        entity.version += 1
        ws.events.append(
            ClaimChanged(
                tenant=proposal.tenant,
                entity=proposal.entity,
                entity_version=entity.version,
                claim_id=claim.id,
                predicate=statement.slot.key.predicate,
                scope=statement.slot.key.scope,
                slot_version=statement.slot.version,
                change=change,
                status=claim.status,
                reason=claim.reason,
                kind=claim.kind,
                basis=claim.basis,
                polarity=claim.polarity,
                confidence=claim.confidence,
                valid_from=claim.valid_from,
                valid_to=claim.valid_to,
                last_confirmed=claim.last_confirmed,
                supporters=tuple(row.agent for row in ws.supporters(claim)),
                decided_by=proposal.id,
                case=ruling.case,
                superseded_by=claim.superseded_by,
                embedding_model=claim.embedding_model,
                content=ClaimContent(
                    value=claim.value,
                    text=claim.text,
                    # A stored claim is loaded without its vector, so only the first event can carry it.
                    vector=claim.vector if change == "added" else "",
                ),
            )
        )
    for event in statement.announcements:
        if isinstance(event, DisputeChanged):
            event = event.model_copy(update={"entity_version": entity.version})
        ws.events.append(event)


def _evidence(statement: Statement, ruling: Ruling) -> Evidence:
    proposal = statement.proposal
    quote = proposal.content.quote
    return Evidence(
        id=proposal.id,
        slot=statement.slot.key,
        claim_id=ruling.claim_id,
        agent=proposal.agent,
        order=statement.order,
        origins=proposal.origins,
        confidence=proposal.confidence,
        basis=proposal.basis,
        polarity=proposal.polarity,
        ended=proposal.ended,
        value_key=statement.value.key,
        mention=proposal.content.mention.text,
        label=proposal.content.label,
        match=statement.match,
        text=proposal.content.text,
        quote=quote.text if quote else "",
        received_at=proposal.received_at,
    )


def _decision(statement: Statement, ruling: Ruling) -> Decision:
    entity, proposal = statement.entity, statement.proposal
    return Decision(
        id=proposal.id,
        slot=statement.slot.key,
        number=entity.decisions,
        case=ruling.case,
        outcome=ruling.outcome,
        rule=ruling.rule,
        claim_id=ruling.claim_id,
        changed=tuple(statement.changed.items()),
        slot_version=statement.slot.version,
        strategy=ruling.strategy,
        policy=entity.policy,
        authority=entity.authority,
        registry=entity.registry,
        agent=proposal.agent,
        order=statement.order,
        detail=statement.detail,
    )
