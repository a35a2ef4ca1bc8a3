"""Writes what the fold changed: new rows by COPY, changed ones by an update from arrays."""

from collections.abc import Callable, Sequence
from typing import Any

from psycopg import AsyncConnection

from processors.deciding.working_set import WorkingSet
from schemas.errors import IntegrityError
from schemas.reviews import ReviewRaised
from sinks.postgres import rows
from sinks.postgres.binary import columns, copy_data
from sinks.postgres.statements import SQL

#: Name of the statement, types of its columns, model to row, models.
Insert = tuple[str, str, Callable[[Any], rows.Row], Sequence[Any]]


async def flush(connection: AsyncConnection[Any], ws: WorkingSet) -> None:
    """One net write per row. Decisions go first: a record decided twice fails before anything else is sent."""
    new_claims, claims = _split(ws, ws.dirty_claims)
    new_supports, supports = _split(ws, ws.dirty_supports)
    new_endings, endings = _split(ws, ws.dirty_endings)
    new_disputes, disputes = _split(ws, ws.dirty_disputes)
    new_slots, slots = _split(ws, ws.dirty_slots)
    new_entities, entities = _split(ws, ws.dirty_entities)
    reviews = [event for event in ws.events if isinstance(event, ReviewRaised)]
    inserts: list[Insert] = [
        ("copy_decisions", rows.DECISION, rows.decision_row, ws.decisions),
        ("copy_evidence", rows.EVIDENCE, rows.evidence_row, ws.evidence),
        ("copy_claims", rows.CLAIM, rows.claim_row, new_claims),
        ("copy_supports", rows.SUPPORT, rows.support_row, new_supports),
        ("copy_slots", rows.SLOT, rows.slot_row, new_slots),
        ("copy_entities", rows.ENTITY, rows.entity_row, new_entities),
        ("copy_disputes", rows.DISPUTE, rows.dispute_row, new_disputes),
        ("copy_endings", rows.ENDING, rows.ending_row, new_endings),
        ("copy_reviews", rows.REVIEW, rows.review_row, reviews),
    ]
    updates: list[Insert] = [
        ("update_claims", rows.CLAIM_UPDATE, rows.claim_update_row, claims),
        ("update_supports", rows.SUPPORT, rows.support_row, supports),
        ("update_disputes", rows.DISPUTE_UPDATE, rows.dispute_update_row, disputes),
        ("update_slots", rows.SLOT, rows.slot_row, slots),
        ("update_entities", rows.ENTITY, rows.entity_row, entities),
        ("update_endings", rows.ENDING, rows.ending_row, endings),
    ]
    await copy_all(connection, [table for table in inserts if table[3]])
    sent = []
    async with connection.pipeline():
        for name, letters, make, values in updates:
            if values:
                arrays = columns(letters, [make(value) for value in values])
                sent.append((name, len(values), await connection.execute(SQL[name], arrays)))
    for name, n, cursor in sent:
        if cursor.rowcount != n:
            raise IntegrityError(
                f"{name}: {n} rows were loaded and changed, {cursor.rowcount} are there; another program wrote to "
                "this schema. Nothing was changed"
            )


async def copy_all(connection: AsyncConnection[Any], tables: Sequence[Insert]) -> None:
    """One COPY after the other; while the server takes in one, the bytes of the next are made."""
    data = _data(tables[0]) if tables else b""
    for n, (name, *_) in enumerate(tables):
        async with connection.cursor().copy(SQL[name]) as sink:
            await sink.write(data)
            data = _data(tables[n + 1]) if n + 1 < len(tables) else b""


async def copy(connection: AsyncConnection[Any], name: str, letters: str, values: Sequence[rows.Row]) -> None:
    """Sends rows through the COPY statement `name`."""
    if values:
        async with connection.cursor().copy(SQL[name]) as sink:
            await sink.write(copy_data(letters, values))


def _data(table: Insert) -> bytes:
    _, letters, make, values = table
    return copy_data(letters, [make(value) for value in values])


def _split(ws: WorkingSet, dirty: dict[Any, Any]) -> tuple[list[Any], list[Any]]:
    """(new, changed) of the dirty rows."""
    new: list[Any] = []
    changed: list[Any] = []
    for key, row in dirty.items():
        (new if key in ws.new else changed).append(row)
    return new, changed
