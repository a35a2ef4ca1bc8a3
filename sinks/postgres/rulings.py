"""Model to row and back for what people, the judge and the clock leave behind: few rows, so they are upserted."""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from processors.deciding.model import (
    DueAt,
    EntityKey,
    Evidence,
    Pending,
    Retraction,
    SlotKey,
    Standing,
)
from sinks.keys import cell_id, origin_id, slot_id
from sinks.postgres.binary import jsonb, stamp, stamp_us
from sinks.postgres.rows import ORDER, Row, order_of

# The types of the columns, one letter each (see binary.py).
STANDING: Final = "uu" + "ttttt" + "jjft" + ORDER + "u"
RETRACTION: Final = "uuu" + "tt" + "z" + "tt" + "b"
PENDING: Final = "uutjn"
DUE: Final = "utttz"
UNHELD: Final = "utttt"
DERIVATION: Final = "uutu"


def standing_row(row: Standing) -> Row:
    slot = slot_id(row.slot)
    return (
        slot,
        cell_id(slot, row.value_key),
        row.polarity,
        row.slot.tenant,
        row.value_key,
        row.ruling,
        row.scope,
        jsonb(row.agents),
        jsonb(row.origins),
        row.weight,
        row.actor,
        stamp_us(row.order.at_us),
        row.order.source,
        row.order.event_id,
        row.order.ordinal,
        row.record_id.bytes,
    )


def retraction_row(row: Retraction) -> Row:
    slot = slot_id(row.slot)
    return (
        slot,
        cell_id(slot, row.value_key),
        row.id.bytes,
        row.slot.tenant,
        row.value_key,
        stamp(row.up_to),
        row.actor,
        row.reason,
        row.undone,
    )


def pending_row(row: Pending) -> Row:
    asked = jsonb([str(key) for key in row.asked])
    return (row.claim_id.bytes, slot_id(row.slot), row.slot.tenant, asked, row.round)


def due_row(row: DueAt) -> Row:
    assert row.at is not None
    return (row.target.bytes, row.what, *row.owner, stamp(row.at))


def sent_due_row(row: DueAt) -> Row:
    """What `delete_sent_dues` takes: the moment too, so that one put off meanwhile stays."""
    assert row.at is not None
    return (row.target.bytes, row.what, stamp(row.at))


def unheld_row(slot: SlotKey) -> Row:
    return (slot_id(slot), *slot)


def derivation_rows(row: Evidence) -> Iterator[Row]:
    """One for each origin that is not the evidence's own event; none without a claim."""
    if row.claim_id is None:
        return
    own = f"{row.order.source}:{row.order.event_id}"
    for origin in dict.fromkeys(row.origins):
        if origin != own:
            yield (origin_id(row.slot.owner, origin), row.id.bytes, row.slot.tenant, row.claim_id.bytes)


# -- reading ----------------------------------------------------------------------------------------------------
def standing_of(slot: SlotKey, row: Sequence[Any]) -> Standing:
    value_key, polarity, ruling, scope, agents, origins, weight, actor, *order, record_id = row
    return Standing(
        slot,
        value_key,
        polarity,
        ruling,
        scope,
        tuple(agents),
        tuple(origins),
        weight,
        actor,
        order_of(*order),
        record_id,
    )


def retraction_of(slot: SlotKey, row: Sequence[Any]) -> Retraction:
    id_, value_key, *rest = row
    return Retraction(id_, slot, value_key, *rest)


def pending_of(slot: SlotKey, row: Sequence[Any]) -> Pending:
    claim_id, asked, round_ = row
    return Pending(claim_id, slot, tuple(UUID(key) for key in asked), round_)


def due_of(row: Sequence[Any]) -> DueAt:
    tenant, entity, target, what, at = row
    return DueAt(EntityKey(tenant, entity), target, what, at)
