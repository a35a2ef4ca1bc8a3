"""One batch, on one connection."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from psycopg import AsyncConnection

from processors.deciding.model import DueAt, SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import LoadPlan, WorkingSet
from schemas.facts import Cardinality
from sinks.ports import (
    ControlVersion,
    DeadLetterRow,
    Extraction,
    LogKey,
    Outgoing,
    Progress,
    Resolution,
)
from sinks.postgres.binary import array, columns
from sinks.postgres.flush import copy, flush
from sinks.postgres.identity import PostgresIdentity
from sinks.postgres.load import load
from sinks.postgres.locate import locate
from sinks.postgres.rulings import due_of, sent_due_row
from sinks.postgres.statements import SQL


class PostgresReads:
    """`sinks.ports.Reads` on a connection."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection
        self.identity = PostgresIdentity(connection)

    async def extractions(self, ids: Collection[UUID]) -> dict[UUID, Extraction]:
        rows = await self._by_id("extractions", ids)
        return {row[0]: Extraction(*row) for row in rows}

    async def resolutions(self, ids: Collection[UUID]) -> dict[UUID, Resolution]:
        rows = await self._by_id("resolutions", ids)
        return {row[0]: Resolution(*row) for row in rows}

    async def control_heads(self, tenants: Collection[str]) -> dict[tuple[str, str], int]:
        values = {"tenants": array("t", sorted(set(tenants)))}
        cursor = await self._connection.execute(SQL["control_heads"], values)
        return {(tenant, kind): version for tenant, kind, version in await cursor.fetchall()}

    async def control_log(self, tenant: str, kind: str, after: int = 0) -> list[ControlVersion]:
        values = {"tenant": tenant, "kind": kind, "after": after}
        cursor = await self._connection.execute(SQL["control_log"], values, binary=True)
        return [ControlVersion(*row) for row in await cursor.fetchall()]

    async def predicates_held(self) -> list[tuple[str, str, Cardinality, int]]:
        cursor = await self._connection.execute(SQL["predicates_held"])
        return [(tenant, predicate, number, n) for tenant, predicate, number, n in await cursor.fetchall()]

    async def due_before(self, moment: datetime, limit: int) -> list[DueAt]:
        values = {"moment": moment, "n": limit}
        cursor = await self._connection.execute(SQL["due_before"], values, binary=True)
        return [due_of(row) for row in await cursor.fetchall()]

    async def _by_id(self, name: str, ids: Collection[UUID]) -> list[tuple[Any, ...]]:
        if not ids:
            return []
        values = {"ids": array("u", [key.bytes for key in ids])}
        cursor = await self._connection.execute(SQL[name], values, binary=True)
        return await cursor.fetchall()


class PostgresTransaction(PostgresReads):
    """`sinks.ports.Transaction`. Made by `PostgresLedger.transaction`, which locks before and commits after."""

    def __init__(self, connection: AsyncConnection[Any], progress: Mapping[LogKey, Progress]) -> None:
        super().__init__(connection)
        self.progress = progress
        self._counts: Counter[tuple[str, str]] = Counter()
        self._moved: dict[LogKey, Progress] = {}
        self._outbox: list[tuple[Any, ...]] = []
        self._dead: list[tuple[Any, ...]] = []
        self._ordinals: Counter[tuple[LogKey, int]] = Counter()

    async def load(self, plan: LoadPlan) -> WorkingSet:
        return await load(self._connection, plan)

    async def locate(self, wanted: Sequence[Locate]) -> list[list[SlotKey]]:
        return await locate(self._connection, wanted)

    async def flush(self, ws: WorkingSet) -> None:
        await flush(self._connection, ws)

    async def add_extractions(self, rows: Sequence[Extraction]) -> None:
        values = [
            (r.id.bytes, r.tenant, r.source, r.event_id, r.body_hash, r.outcome, r.n_facts, r.record)
            for r in rows
        ]
        await copy(self._connection, "copy_extractions", "utttytny", values)

    async def add_resolutions(self, rows: Sequence[Resolution]) -> None:
        values = [(row.fact_id.bytes, row.tenant, row.entity, row.body) for row in rows]
        await copy(self._connection, "copy_resolutions", "utty", values)

    async def add_control(self, tenant: str, kind: str, event: UUID, body: bytes) -> int | None:
        values = {"tenant": tenant, "kind": kind, "event": event, "body": body}
        cursor = await self._connection.execute(SQL["add_control"], values)
        row = await cursor.fetchone()
        return None if row is None else int(row[0])

    async def slots_held(self, tenant: str, predicates: Collection[str]) -> list[tuple[SlotKey, Cardinality]]:
        names = [name for name in predicates if not name.endswith("*")]
        beginnings = [name[:-1] for name in predicates if name.endswith("*")]
        values = {"tenant": tenant, "names": array("t", names), "beginnings": array("t", beginnings)}
        cursor = await self._connection.execute(SQL["slots_held"], values, binary=True)
        return [(SlotKey(*row[:4]), row[4]) for row in await cursor.fetchall()]

    async def mark_due_sent(self, rows: Sequence[DueAt]) -> None:
        if rows:
            arrays = columns("utz", [sent_due_row(row) for row in rows])
            await self._connection.execute(SQL["delete_sent_dues"], arrays)

    async def dead_letters(self, log: LogKey, rows: Sequence[DeadLetterRow]) -> None:
        self._dead += [
            (
                *log,
                row.offset,
                row.item,
                row.error_class,
                row.attempts,
                row.tenant,
                None if row.event is None else row.event.bytes,
            )
            for row in rows
        ]

    def count(self, name: str, detail: str = "", n: int = 1) -> None:
        if n:
            self._counts[name, detail] += n

    async def enqueue(self, log: LogKey, source_offset: int, records: Sequence[Outgoing]) -> None:
        first = self._ordinals[log, source_offset]
        self._ordinals[log, source_offset] += len(records)
        self._outbox += [
            (
                *log,
                source_offset,
                first + n,
                record.topic,
                record.key,
                record.value,
                orjson.dumps([(name, value.decode("latin-1")) for name, value in record.headers]),
            )
            for n, record in enumerate(records)
        ]

    async def advance(self, log: LogKey, progress: Progress) -> None:
        self._moved[log] = progress

    async def finish(self) -> None:
        """Writes dead letters, outbox, progress and counters. Called before the commit."""
        await copy(self._connection, "copy_dead_letters", "ttnintntu", self._dead)
        await copy(self._connection, "copy_outbox", "ttnintyyJ", self._outbox)
        async with self._connection.pipeline():
            if self._moved:
                rows = list(self._moved.values())
                moved = {
                    "next_offsets": array("i", [row.next_offset for row in rows]),
                    "last_offsets": array("i", [row.last_offset for row in rows]),
                    "last_hashes": array("y", [row.last_hash for row in rows]),
                    "published_offsets": array("i", [row.published_offset for row in rows]),
                }
                await self._connection.execute(
                    SQL["advance_progress"], {**at_logs(list(self._moved)), **moved}
                )
            if self._counts:
                counts = [(name, detail, n) for (name, detail), n in sorted(self._counts.items())]
                names, details, ns = columns("tti", counts)
                counted = {"names": names, "details": details, "ns": ns}
                place = next(iter(self.progress))._asdict()
                await self._connection.execute(SQL["bump_counters"], {**place, **counted})


def at_logs(logs: Sequence[LogKey]) -> dict[str, Any]:
    """Parameters that name partitions of one stage and topic."""
    stage, topic, _ = logs[0]
    return {"stage": stage, "topic": topic, "partitions": array("n", [log.partition for log in logs])}
