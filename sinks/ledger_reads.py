"""What people and agents ask the ledger. It never writes. A tenant sees its own rows only: each question names it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import AsyncConnectionPool

from processors.deciding.model import CellKey, Claim, Entity, EntityKey, SlotKey
from processors.digest import EntityRows
from processors.identity import Lookup
from processors.identity.memory import MemoryIdentity
from schemas.facts import FactsExtracted
from schemas.ids import event_uuid
from schemas.inbox import Versions
from sinks.ledger_views import (
    DeadLetterOrigin,
    Decided,
    DisputeView,
    EventStatus,
    FactStatus,
    LedgerCounts,
    ProgressRow,
    SlotChain,
    Step,
    StoredCounter,
)
from sinks.postgres.binary import array
from sinks.postgres.connect import configure, conninfo, where
from sinks.postgres.entities import entities, fill, rows_of, slots_of
from sinks.postgres.faults import connecting, translated
from sinks.postgres.identity import PostgresIdentity
from sinks.postgres.migrate import require
from sinks.postgres.rows import claim_of, decision_of, dispute_of
from sinks.postgres.statements import SQL

Rows = list[tuple[Any, ...]]


class LedgerReads:
    """Questions to the ledger on Postgres. Every method raises TransientError when Postgres is away."""

    def __init__(
        self, dsn: str, *, schema: str = "claimstream", pool_size: int = 2, timeout_s: float = 10.0
    ) -> None:
        self._conninfo = conninfo(dsn, schema)
        self._where = where(dsn)
        self._schema = schema
        self._timeout_s = timeout_s
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[Any]] = AsyncConnectionPool(
            self._conninfo,
            min_size=1,
            max_size=pool_size,
            timeout=timeout_s,
            open=False,
            configure=configure,
            name="ledger-reads",
            kwargs={"connect_timeout": max(2, round(timeout_s)), "autocommit": True},
        )

    async def open(self) -> None:
        """Raises ConfigurationError (address, login, no ledger yet), TransientError, IntegrityError (newer schema)."""
        with connecting(self._where):
            async with await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=max(2, round(self._timeout_s))
            ) as connection:
                await require(connection, self._schema)
            await self._pool.open(wait=True, timeout=self._timeout_s)

    async def close(self) -> None:
        await self._pool.close()

    async def __aenter__(self) -> LedgerReads:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- what is believed -----------------------------------------------------------------------------------------
    async def entities(
        self, tenant: str, *, after: str = "", limit: int = 1000
    ) -> list[tuple[str, int, int]]:
        """(entity, version, decisions) by name, from behind `after` on."""
        rows = await self._all("entities_list", {"tenant": tenant, "after": after, "n": limit})
        return [(entity, version, decisions) for entity, version, decisions in rows]

    async def entity(self, tenant: str, entity: str) -> EntityRows | None:
        """Everything about one entity; None when nothing was ever decided about it."""
        async with self._connection() as connection:
            cursor = await connection.execute(SQL["entity_one"], {"tenant": tenant, "entity": entity})
            row = await cursor.fetchone()
            if row is None:
                return None
            (found,) = await rows_of(connection, [Entity(EntityKey(row[0], row[1]), *row[2:])])
            return found

    async def entity_rows(self, tenant: str | None = None) -> AsyncIterator[EntityRows]:
        """Every entity with all its rows, for digests; None: of all tenants (operators only)."""
        async with self._connection() as connection:
            async for rows in entities(connection, tenant):
                yield rows

    async def claims(
        self, tenant: str, entity: str, statuses: Collection[str] | None = None
    ) -> list[tuple[Claim, tuple[str, ...]]]:
        """Claims with their supporters, by predicate, scope and the order of evidence; None: of every status."""
        rows = await self.entity(tenant, entity)
        if rows is None:
            return []
        agents: dict[UUID, list[str]] = {}
        for support in rows.supports:
            agents.setdefault(support.claim_id, []).append(support.agent)
        return [
            (claim, tuple(sorted(agents.get(claim.id, ()))))
            for claim in rows.claims
            if statuses is None or claim.status in statuses
        ]

    async def claims_by_id(self, tenant: str, ids: Sequence[UUID]) -> dict[UUID, Claim]:
        """The tenant's claims among `ids`, without vectors."""
        async with self._connection() as connection:
            return await _claims(connection, tenant, ids)

    # -- why ------------------------------------------------------------------------------------------------------
    async def slot_chain(self, slot: SlotKey) -> SlotChain | None:
        """Everything that led to what a slot holds, in the order of its decisions; None for an unknown slot."""
        chains = await self.slot_chains(slot.tenant, slot.entity, slot.predicate)
        return next((chain for chain in chains if chain.slot.key == slot), None)

    async def slot_chains(self, tenant: str, entity: str, predicate: str) -> list[SlotChain]:
        """The chains of a predicate's slots, one for each scope."""
        async with self._connection() as connection:
            owner = EntityRows(Entity(EntityKey(tenant, entity)))
            slots = [
                (slot, key)
                for slot, key, _ in await slots_of(connection, [owner])
                if key.predicate == predicate
            ]
            held = {slot.key: slot for slot in owner.slots}
            places = [
                (slot, key, EntityRows(owner.entity, [held[key]])) for slot, key in slots if key in held
            ]
            await fill(connection, places)
            values = {"slots": array("u", [slot for slot, _, _ in places])}
            cursor = await connection.execute(SQL["decisions_beside"], values, binary=True)
            for n, *row in await cursor.fetchall():
                _, key, rows = places[n - 1]
                rows.decisions.append(decision_of(key, row))
        return [_chain(rows) for _, _, rows in places]

    async def disputes(
        self, tenant: str, status: str | None = "open", *, limit: int = 100
    ) -> list[DisputeView]:
        """Newest first, with the claims they name; None: of every status."""
        return await self._disputes("disputes_list", {"tenant": tenant, "status": status, "n": limit})

    async def disputes_named(self, tenant: str, beginning: str) -> list[DisputeView]:
        """Those whose id begins so (lower-case hex and hyphens), of every status; at most ten."""
        return await self._disputes("disputes_named", {"tenant": tenant, "beginning": beginning})

    async def _disputes(self, name: str, values: dict[str, Any]) -> list[DisputeView]:
        async with self._connection() as connection:
            cursor = await connection.execute(SQL[name], values, binary=True)
            found = [
                dispute_of(CellKey(SlotKey(*row[:4]), row[4]), row[5:]) for row in await cursor.fetchall()
            ]
            named = {key for row in found for key in (row.challenger, *row.incumbents)}
            claims = await _claims(connection, values["tenant"], sorted(named))
        return [
            DisputeView(
                row, claims[row.challenger], tuple(claims[key] for key in row.incumbents if key in claims)
            )
            for row in found
        ]

    async def event_status(self, tenant: str, source: str, event_id: str) -> EventStatus:
        """Where an event is: extracted or not, and each of its facts; dead letters of either."""
        key = event_uuid(tenant, source, event_id)
        rows = await self._all("event_extraction", {"id": key, "tenant": tenant})
        outcome = str(rows[0][0]) if rows else None
        facts = FactsExtracted.from_json(rows[0][1]) if rows else None
        ids = [facts.id_of(fact) for fact in facts.content.facts] if facts else []
        by_id = {"ids": array("u", [fact.bytes for fact in ids]), "tenant": tenant}
        entity_of = dict(await self._all("facts_resolved", by_id))
        decided = {row[0]: row[1:] for row in await self._all("facts_decided", by_id)}
        either = {"ids": array("u", [key.bytes, *(fact.bytes for fact in ids)]), "tenant": tenant}
        dead = await self._all("event_dead_letters", either)
        return EventStatus(
            outcome,
            tuple(
                FactStatus(fact, entity_of.get(fact), *decided.get(fact, (None, None, None))) for fact in ids
            ),
            tuple(DeadLetterOrigin(*row) for row in dead),
        )

    async def control_versions(self, tenant: str, events: Sequence[UUID]) -> dict[UUID, int]:
        """Which version each event (`schemas.ids.event_uuid`) of the control log became; missing: not yet one."""
        ids = array("u", [key.bytes for key in events])
        return dict(await self._all("control_versions_of", {"ids": ids, "tenant": tenant}))

    async def processed(self, stage: str, ids: Sequence[UUID]) -> set[UUID]:
        """Which of them the stage has made something of: events (extract, control), facts (resolve), inbox records
        (adjudicate). Of all tenants: for operators. Empty for a stage that keeps no rows of its own."""
        if stage not in ("extract", "resolve", "adjudicate", "control"):
            return set()
        rows = await self._all(f"processed_{stage}", {"ids": array("u", [key.bytes for key in ids])})
        return {row[0] for row in rows}

    async def control_heads(self, tenant: str) -> Versions:
        """The newest versions of policy, authority and registry; 0 is what ships."""
        tenants = array("t", [tenant])
        rows = await self._all("control_heads", {"tenants": tenants})
        return Versions(**{kind: version for _, kind, version in rows if kind in Versions.model_fields})

    # -- who is who -------------------------------------------------------------------------------------------------
    async def identity(self, tenant: str, lookups: Sequence[Lookup]) -> MemoryIdentity:
        """The id map, as far as the lookups reach (see `sinks.identity_ports.IdentityReads`)."""
        async with self._connection() as connection:
            return await PostgresIdentity(connection).view(tenant, lookups)

    async def decided(self, tenant: str, record_id: UUID) -> Decided | None:
        """The decision about an inbox record; None when there is none yet."""
        rows = await self._all("decided_one", {"tenant": tenant, "id": record_id})
        return Decided(*rows[0]) if rows else None

    # -- how much (of all tenants: for operators) -------------------------------------------------------------------
    async def counts(self) -> LedgerCounts:
        """Rows of the tables and the stages' counters, summed over partitions: what the equations need."""
        tables = await self._all("table_counts", {})
        counters = await self._all("counters", {})
        return LedgerCounts(dict(tables), tuple(StoredCounter(*row) for row in counters))

    async def progress(self) -> list[ProgressRow]:
        """How far every stage is in every partition."""
        return [ProgressRow(*row) for row in await self._all("progress_rows", {})]

    # -- inside -----------------------------------------------------------------------------------------------------
    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        with translated():
            async with self._pool.connection() as connection:
                yield connection

    async def _all(self, name: str, values: dict[str, Any]) -> Any:
        async with self._connection() as connection:
            cursor = await connection.execute(SQL[name], values, binary=True)
            return await cursor.fetchall()


async def _claims(
    connection: psycopg.AsyncConnection[Any], tenant: str, ids: Sequence[UUID]
) -> dict[UUID, Claim]:
    values = {"tenant": tenant, "ids": array("u", [key.bytes for key in ids])}
    cursor = await connection.execute(SQL["claims_by_id"], values, binary=True)
    found = [claim_of(CellKey(SlotKey(*row[:4]), row[4]), row[5:]) for row in await cursor.fetchall()]
    return {claim.id: claim for claim in found}


def _chain(rows: EntityRows) -> SlotChain:
    evidence = {row.id: row for row in rows.evidence}
    return SlotChain(
        slot=rows.slots[0],
        steps=tuple(
            Step(row, evidence.get(row.id)) for row in sorted(rows.decisions, key=lambda row: row.number)
        ),
        claims=tuple(rows.claims),
        supports=tuple(rows.supports),
        endings=tuple(rows.endings),
        disputes=tuple(rows.disputes),
    )
