"""Model to row and back. The order of the values is that of the column lists in flush.sql and load.sql."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import orjson

from processors.deciding.model import (
    CellKey,
    Claim,
    Decision,
    Dispute,
    Ending,
    Entity,
    Evidence,
    Order,
    Slot,
    SlotKey,
    Support,
    microseconds,
)
from schemas.reviews import ReviewRaised
from schemas.values import TypedValue
from sinks.keys import cell_id, id_of, slot_id
from sinks.postgres.binary import jsonb, stamp, stamp_us

Row = tuple[Any, ...]

# The types of the columns, one letter each (see binary.py).
ORDER: Final = "zttn"
CLAIM: Final = "uuu" + "tttttttt" + "j" + "ttttttt" + "f" + "zzzz" + ORDER + "i" + "uuu" + "by"
CLAIM_UPDATE: Final = "uut" + "ttt" + "j" + "ttttt" + "f" + "zzzz" + ORDER + "i" + "uu" + "by"
SUPPORT: Final = "uu" + "ttt" + "u" + ORDER + "fj"
ENDING: Final = "uu" + "ttt" + ORDER + "zu"
DISPUTE: Final = "uuu" + "ttttt" + "uj" + "ttt" + "nzu" + "nni"
DISPUTE_UPDATE: Final = "uutuj" + "ttt" + "nnni"
SLOT: Final = "u" + "ttttt" + "ii" + ORDER + "b"
ENTITY: Final = "tt" + "ii" + "nnn" + "tj"
EVIDENCE: Final = "uu" + "tut" + ORDER + "jf" + "ttb" + "tttttt" + "zy"
DECISION: Final = "uuti" + "ttt" + "uji" + "tnnn" + "t" + ORDER + "J"
REVIEW: Final = "utttzy"


def _bytes(key: UUID | None) -> bytes | None:
    return None if key is None else key.bytes


def _order(order: Order) -> Row:
    return (stamp_us(order.at_us), order.source, order.event_id, order.ordinal)


def claim_row(claim: Claim) -> Row:
    slot, value = claim.cell.slot, claim.value
    slot_bytes = slot_id(slot)
    return (
        claim.id.bytes,
        slot_bytes,
        cell_id(slot_bytes, claim.cell.value_key),
        *slot,
        claim.cell.value_key,
        value.type,
        value.text,
        value.key,
        jsonb(value.within),
        claim.polarity,
        claim.kind,
        claim.basis,
        claim.status,
        claim.reason,
        claim.text,
        claim.embedding_model,
        claim.confidence,
        stamp(claim.valid_from),
        None if claim.valid_to is None else stamp(claim.valid_to),
        stamp(claim.reach),
        stamp(claim.last_confirmed),
        *_order(claim.order),
        claim.slot_version,
        claim.created_by.bytes,
        claim.decided_by.bytes,
        _bytes(claim.superseded_by),
        claim.weak,
        b64decode(claim.vector),
    )


def claim_update_row(claim: Claim) -> Row:
    """What a decision may change; the id comes first. An empty vector leaves the stored one."""
    value = claim.value
    return (
        claim.id.bytes,
        id_of(claim.cell),
        claim.cell.value_key,
        value.type,
        value.text,
        value.key,
        jsonb(value.within),
        claim.basis,
        claim.status,
        claim.reason,
        claim.text,
        claim.embedding_model,
        claim.confidence,
        stamp(claim.valid_from),
        None if claim.valid_to is None else stamp(claim.valid_to),
        stamp(claim.reach),
        stamp(claim.last_confirmed),
        *_order(claim.order),
        claim.slot_version,
        claim.decided_by.bytes,
        _bytes(claim.superseded_by),
        claim.weak,
        b64decode(claim.vector),
    )


def support_row(row: Support) -> Row:
    slot_bytes = slot_id(row.cell.slot)
    return (
        slot_bytes,
        cell_id(slot_bytes, row.cell.value_key),
        row.agent,
        row.cell.slot.tenant,
        row.cell.value_key,
        row.claim_id.bytes,
        *_order(row.order),
        row.confidence,
        jsonb(row.origins),
    )


def ending_row(row: Ending) -> Row:
    slot_bytes = slot_id(row.slot)
    return (
        slot_bytes,
        cell_id(slot_bytes, row.value_key),
        row.slot.tenant,
        row.value_key,
        row.agent,
        *_order(row.order),
        stamp(row.ended_at),
        row.record_id.bytes,
    )


def dispute_row(row: Dispute) -> Row:
    slot_bytes = slot_id(row.cell.slot)
    return (
        row.id.bytes,
        slot_bytes,
        cell_id(slot_bytes, row.cell.value_key),
        *row.cell.slot,
        row.cell.value_key,
        row.challenger.bytes,
        jsonb([str(key) for key in row.incumbents]),
        row.status,
        row.strategy,
        row.reason,
        row.policy_version,
        stamp(row.opened_at),
        row.opened_by.bytes,
        row.version,
        row.repeats,
        row.parties_since,
    )


def dispute_update_row(row: Dispute) -> Row:
    return (
        row.id.bytes,
        cell_id(slot_id(row.cell.slot), row.cell.value_key),
        row.cell.value_key,
        row.challenger.bytes,
        jsonb([str(key) for key in row.incumbents]),
        row.status,
        row.strategy,
        row.reason,
        row.policy_version,
        row.version,
        row.repeats,
        row.parties_since,
    )


def slot_row(row: Slot) -> Row:
    latest = (None, "", "", 0) if row.latest is None else _order(row.latest)
    return (slot_id(row.key), *row.key, row.cardinality, row.version, row.records, *latest, row.tangled)


def entity_row(row: Entity) -> Row:
    numbers = (row.version, row.decisions, row.policy, row.authority, row.registry)
    return (*row.key, *numbers, row.moved_to, jsonb(row.rates))


def evidence_row(row: Evidence) -> Row:
    return (
        slot_id(row.slot),
        row.id.bytes,
        row.slot.tenant,
        _bytes(row.claim_id),
        row.agent,
        *_order(row.order),
        jsonb(row.origins),
        row.confidence,
        row.basis,
        row.polarity,
        row.ended,
        row.value_key,
        row.mention,
        row.label,
        row.match,
        row.text,
        row.quote,
        stamp(row.received_at),
        row.body,
    )


def decision_row(row: Decision) -> Row:
    return (
        row.id.bytes,
        slot_id(row.slot),
        row.slot.tenant,
        row.number,
        row.case,
        row.outcome,
        row.rule,
        _bytes(row.claim_id),
        jsonb(row.changed),
        row.slot_version,
        row.strategy,
        row.policy,
        row.authority,
        row.registry,
        row.agent,
        *_order(row.order),
        orjson.dumps(row.detail),
    )


def review_row(event: ReviewRaised) -> Row:
    return (event.review_id.bytes, event.tenant, event.entity, event.reason, stamp(event.at), event.to_json())


# -- reading ----------------------------------------------------------------------------------------------------
def order_of(at: datetime, source: str, event_id: str, ordinal: int) -> Order:
    return Order(microseconds(at), source, event_id, ordinal)


def claim_of(cell: CellKey, row: Sequence[Any]) -> Claim:
    """From the columns of ``claim_columns`` in load.sql; the vector, when asked for, comes last."""
    return Claim(
        id=row[0],
        cell=cell,
        value=TypedValue.model_construct(type=row[1], text=row[2], key=row[3], within=tuple(row[4])),
        polarity=row[5],
        kind=row[6],
        basis=row[7],
        status=row[8],
        reason=row[9],
        text=row[10],
        vector=b64encode(row[25]).decode() if len(row) > 25 else "",
        embedding_model=row[11],
        confidence=row[12],
        valid_from=row[13],
        valid_to=row[14],
        last_confirmed=row[15],
        order=order_of(*row[16:20]),
        slot_version=row[20],
        created_by=row[21],
        decided_by=row[22],
        superseded_by=row[23],
        weak=row[24],
    )


def slot_of(key: SlotKey, row: Sequence[Any]) -> Slot:
    cardinality, version, records, at, source, event_id, ordinal, tangled = row
    latest = None if at is None else order_of(at, source, event_id, ordinal)
    return Slot(key, cardinality, version, records, latest, tangled)


def support_of(cell: CellKey, row: Sequence[Any]) -> Support:
    agent, claim_id, at, source, event_id, ordinal, confidence, origins = row
    return Support(cell, agent, claim_id, order_of(at, source, event_id, ordinal), confidence, tuple(origins))


def ending_of(slot: SlotKey, row: Sequence[Any]) -> Ending:
    value_key, agent, at, source, event_id, ordinal, ended_at, record_id = row
    return Ending(slot, value_key, agent, order_of(at, source, event_id, ordinal), ended_at, record_id)


def dispute_of(cell: CellKey, row: Sequence[Any]) -> Dispute:
    id_, challenger, incumbents, *rest = row
    return Dispute(id_, cell, challenger, tuple(UUID(key) for key in incumbents), *rest)


def evidence_of(slot: SlotKey, row: Sequence[Any]) -> Evidence:
    """Without the body."""
    id_, claim_id, agent, at, source, event_id, ordinal, origins, *rest = row
    order = order_of(at, source, event_id, ordinal)
    return Evidence(id_, slot, claim_id, agent, order, tuple(origins), *rest)


def decision_of(slot: SlotKey, row: Sequence[Any]) -> Decision:
    (
        id_,
        number,
        case,
        outcome,
        rule,
        claim_id,
        changed,
        *versions,
        agent,
        at,
        source,
        event_id,
        ordinal,
        detail,
    ) = row
    pairs = tuple((UUID(key), status) for key, status in changed)
    slot_version, strategy, policy, authority, registry = versions
    order = order_of(at, source, event_id, ordinal)
    return Decision(
        id_,
        slot,
        number,
        case,
        outcome,
        rule,
        claim_id,
        pairs,
        slot_version,
        strategy,
        policy,
        authority,
        registry,
        agent,
        order,
        detail,
    )
