"""Every row of an entity, for digests, checks and explain."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from psycopg import AsyncConnection

from processors.deciding.model import CellKey, Entity, EntityKey, SlotKey
from processors.digest import EntityRows
from sinks.postgres.asking import ask
from sinks.postgres.binary import array
from sinks.postgres.rows import (
    claim_of,
    decision_of,
    dispute_of,
    ending_of,
    evidence_of,
    slot_of,
    support_of,
)
from sinks.postgres.rulings import pending_of, retraction_of, standing_of
from sinks.postgres.statements import SQL

_PAGE = 200
_TABLES = (
    "claims_of",
    "supports_of",
    "endings_of",
    "disputes_of",
    "evidence_of",
    "decisions_of",
    "load_standings",
    "load_retractions",
    "load_pending",
)


async def entities(connection: AsyncConnection[Any], tenant: str | None) -> AsyncIterator[EntityRows]:
    """All entities of a tenant, or of all tenants, in order, a page at a time."""
    after = EntityKey("", "")
    while True:
        values = {"only": tenant, "tenant": after.tenant, "entity": after.entity, "n": _PAGE}
        cursor = await connection.execute(SQL["entity_keys"], values)
        page = [Entity(EntityKey(*row[:2]), *row[2:]) for row in await cursor.fetchall()]
        if not page:
            return
        for rows in await rows_of(connection, page):
            yield rows
        after = page[-1].key


async def rows_of(connection: AsyncConnection[Any], wanted: Sequence[Entity]) -> list[EntityRows]:
    """The rows of the entities, in the same order."""
    found = [EntityRows(row) for row in wanted]
    await fill(connection, await slots_of(connection, found))
    return found


async def slots_of(
    connection: AsyncConnection[Any], owners: Sequence[EntityRows]
) -> list[tuple[bytes, SlotKey, EntityRows]]:
    """Adds the slots to their owners; returns (id, key, owner) for `fill`, those that hold nothing too."""
    values = {
        "tenants": array("t", [row.entity.key.tenant for row in owners]),
        "entities": array("t", [row.entity.key.entity for row in owners]),
    }
    cursor = await connection.execute(SQL["slots_of"], values, binary=True)
    slots: list[tuple[bytes, SlotKey, EntityRows]] = []
    for n, slot, predicate, scope, *held in await cursor.fetchall():
        rows = owners[n - 1]
        key = SlotKey(rows.entity.key.tenant, rows.entity.key.entity, predicate, scope)
        if held[0] is not None:
            rows.slots.append(slot_of(key, held))
        slots.append((slot.bytes, key, rows))
    return slots


async def fill(connection: AsyncConnection[Any], slots: Sequence[tuple[bytes, SlotKey, EntityRows]]) -> None:
    """Adds everything that belongs to the slots (id, key, where to add)."""
    ids = {"slots": array("u", [slot for slot, _, _ in slots])}
    found = await ask(connection, [(name, ids) for name in _TABLES])
    claims, supports, endings, disputes, evidence, decisions, standings, retractions, pending = found
    for n, cell_key, *row in claims:
        _, key, rows = slots[n - 1]
        rows.claims.append(claim_of(CellKey(key, cell_key), row))
    for n, cell_key, *row in supports:
        _, key, rows = slots[n - 1]
        rows.supports.append(support_of(CellKey(key, cell_key), row))
    for n, *row in endings:
        _, key, rows = slots[n - 1]
        rows.endings.append(ending_of(key, row))
    for n, cell_key, *row in disputes:
        _, key, rows = slots[n - 1]
        rows.disputes.append(dispute_of(CellKey(key, cell_key), row))
    for n, *row in evidence:
        _, key, rows = slots[n - 1]
        rows.evidence.append(evidence_of(key, row))
    for n, *row in decisions:
        _, key, rows = slots[n - 1]
        rows.decisions.append(decision_of(key, row))
    for n, *row in standings:
        _, key, rows = slots[n - 1]
        rows.standings.append(standing_of(key, row))
    for n, *row in retractions:
        _, key, rows = slots[n - 1]
        rows.retractions.append(retraction_of(key, row))
    for n, *row in pending:
        _, key, rows = slots[n - 1]
        rows.pending.append(pending_of(key, row))
