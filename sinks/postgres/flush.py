"""Writes what the fold changed: new rows by COPY, changed ones by an update from arrays."""

from collections.abc import Callable, Sequence
from typing import Any

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, SlotKey
from processors.deciding.working_set import WorkingSet
from schemas.errors import IntegrityError
from schemas.reviews import ReviewRaised
from sinks.keys import id_of, slot_id
from sinks.postgres import rows, rulings
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
    derivations = [row for evidence in ws.evidence for row in rulings.derivation_rows(evidence)]
    inserts: list[Insert] = [
        ("copy_decisions", rows.DECISION, rows.decision_row, ws.decisions),
        ("copy_evidence", rows.EVIDENCE, rows.evidence_row, ws.evidence),
        ("copy_derivations", rulings.DERIVATION, tuple, derivations),
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
        *_upserts(ws),
    ]
    # Before the inserts: what a refold took away it may have given back.
    await _execute(connection, _deletes(ws))
    await copy_all(connection, [table for table in inserts if table[3]])
    for name, n, rowcount in await _execute(connection, updates):
        if rowcount != n:
            raise IntegrityError(
                f"{name}: {n} rows were loaded and changed, {rowcount} are there; another program wrote to "
                "this schema. Nothing was changed"
            )


def _upserts(ws: WorkingSet) -> list[Insert]:
    dues = [row for row in ws.dues.values() if row.at is not None]
    return [
        ("put_standings", rulings.STANDING, rulings.standing_row, [*ws.dirty_standings.values()]),
        ("put_retractions", rulings.RETRACTION, rulings.retraction_row, [*ws.dirty_retractions.values()]),
        ("put_pending", rulings.PENDING, rulings.pending_row, [*ws.dirty_pending.values()]),
        ("put_dues", rulings.DUE, rulings.due_row, dues),
        ("put_unheld_slots", rulings.UNHELD, rulings.unheld_row, _unheld(ws)),
    ]


def _unheld(ws: WorkingSet) -> list[SlotKey]:
    """The slots that were written about and have no row of their own."""
    named = [row.slot for row in ws.evidence]
    named += [row.slot for row in ws.decisions]
    named += [row.slot for row in ws.dirty_retractions.values()]
    return [slot for slot in dict.fromkeys(named) if slot not in ws.slots]


def _deletes(ws: WorkingSet) -> list[Insert]:
    dues = [key for key, row in ws.dues.items() if row.at is None]
    return [
        ("delete_supports", "uut", _support_key, [*ws.removed_supports]),
        ("delete_endings", "uu", _value_key, [*ws.removed_endings]),
        ("delete_standings", "uut", _standing_key, [*ws.removed_standings]),
        ("delete_pending", "u", lambda key: (key.bytes,), [*ws.removed_pending]),
        ("delete_dues", "ut", lambda key: (key[0].bytes, key[1]), dues),
    ]


def _support_key(key: tuple[CellKey, str]) -> rows.Row:
    cell, agent = key
    return (slot_id(cell.slot), id_of(cell), agent)


def _value_key(key: tuple[SlotKey, str]) -> rows.Row:
    return (slot_id(key[0]), id_of(CellKey(*key)))


def _standing_key(key: tuple[SlotKey, str, str]) -> rows.Row:
    slot, value_key, polarity = key
    return (slot_id(slot), id_of(CellKey(slot, value_key)), polarity)


async def _execute(connection: AsyncConnection[Any], tables: Sequence[Insert]) -> list[tuple[str, int, int]]:
    """Statements that take a column an array, in one round trip; (name, rows given, rows that they changed)."""
    wanted = [table for table in tables if table[3]]
    if not wanted:
        return []
    sent = []
    async with connection.pipeline():
        for name, letters, make, values in wanted:
            arrays = columns(letters, [make(value) for value in values])
            sent.append((name, len(values), await connection.execute(SQL[name], arrays)))
    return [(name, n, cursor.rowcount) for name, n, cursor in sent]


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
