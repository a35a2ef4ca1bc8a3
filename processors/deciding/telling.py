"""What a decision leaves behind: events to publish, evidence and the decision itself, append-only."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from processors.deciding.change import Change, Ruling
from processors.deciding.model import Decision, Evidence
from processors.deciding.statement import Statement
from schemas.claims import ClaimChanged, ClaimContent
from schemas.disputes import DisputeChanged
from schemas.inbox import Proposal
from schemas.inbox_records import InboxRecord


def announce(change: Change, ruling: Ruling) -> None:
    """One claim event per changed claim, each with the entity's next version; then disputes, reviews, requests."""
    ws, entity = change.ws, change.entity
    for claim_id, kind in change.touched.items():
        claim = ws.claims[claim_id]
        slot = claim.cell.slot
        entity.version += 1
        ws.events.append(
            ClaimChanged.trusted(
                tenant=entity.key.tenant,
                entity=entity.key.entity,
                entity_version=entity.version,
                claim_id=claim.id,
                predicate=slot.predicate,
                scope=slot.scope,
                slot_version=ws.slots[slot].version,
                change=kind,
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
                decided_by=change.record_id,
                case=ruling.case,
                superseded_by=claim.superseded_by,
                embedding_model=claim.embedding_model,
                content=ClaimContent.trusted(
                    value=claim.value,
                    text=claim.text,
                    # A stored claim is loaded without its vector, so only the first event can carry it.
                    vector=claim.vector if kind == "added" else "",
                ),
            )
        )
    for event in change.announcements:
        if isinstance(event, DisputeChanged):
            event = event.model_copy(update={"entity_version": entity.version})
        ws.events.append(event)


def evidence_of(statement: Statement, ruling: Ruling) -> Evidence:
    """The observation that a proposal is."""
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
        body=pinned(statement).to_json(),
    )


def pinned(statement: Statement) -> Proposal:
    """The proposal as it was understood: its predicate fixed, its scope the slot's, held where it was over a limit.

    So that it folds there again, and the same way.
    """
    proposal, slot = statement.proposal, statement.slot.key
    chosen = tuple(row for row in proposal.content.candidates if row.predicate == slot.predicate)[:1]
    if proposal.held != statement.held:
        proposal = proposal.model_copy(update={"held": statement.held})
    if proposal.scope == slot.scope and chosen == proposal.content.candidates:
        return proposal
    content = proposal.content.model_copy(update={"candidates": chosen or proposal.content.candidates})
    return proposal.model_copy(update={"scope": slot.scope, "content": content})


def evidence_of_record(change: Change, record: InboxRecord, ruling: Ruling, text: str) -> Evidence:
    """What a command, a verdict or a due moment did to a slot, so that the slot can be folded again with it."""
    return Evidence(
        id=record.id,
        slot=change.slot.key,
        claim_id=ruling.claim_id,
        agent=change.agent,
        order=change.order,
        origins=(f"{record.source}:{record.event_id}",),
        confidence=1.0,
        basis="observed",
        polarity="+",
        ended=False,
        value_key="",
        mention="",
        label=record.TYPE,
        match="",
        text=text[:4096],
        quote="",
        received_at=record.received_at,
        body=record.to_json(),
    )


def decision_of(
    change: Change, ruling: Ruling, changed: Sequence[tuple[UUID, str]], detail: dict[str, Any]
) -> Decision:
    """What was decided about the record, and why."""
    entity = change.entity
    return Decision(
        id=change.record_id,
        slot=change.slot.key,
        number=entity.decisions,
        case=ruling.case,
        outcome=ruling.outcome,
        rule=ruling.rule,
        claim_id=ruling.claim_id,
        changed=tuple(changed),
        slot_version=change.slot.version,
        strategy=ruling.strategy,
        policy=entity.policy,
        authority=entity.authority,
        registry=entity.registry,
        agent=change.agent,
        order=change.order,
        detail=detail,
    )
