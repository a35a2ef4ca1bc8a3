"""The ledger in memory: the same ports, for the in-process driver and for property tests.

A transaction sees its own writes and keeps them to itself; they become everybody's when it ends well, so that a crash
in it leaves nothing.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from processors.deciding.model import DueAt, EntityKey, SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import LoadPlan, WorkingSet
from processors.digest import EntityRows
from schemas.errors import IntegrityError
from schemas.facts import Cardinality
from sinks.memory_believed import Believed, BelievedTables, refuse
from sinks.memory_identity import IdentityTables, LayeredIdentity
from sinks.memory_tables import Layer, Table
from sinks.ports import (
    ControlVersion,
    DeadLetterRow,
    Extraction,
    LogKey,
    OutboxRow,
    Outgoing,
    Progress,
    Resolution,
    distinct,
    log_mismatch,
)


def _control() -> Table[UUID, ControlVersion]:
    return Table({"tenant": lambda row: row.tenant, "kind": lambda row: (row.tenant, row.kind)})


@dataclass(slots=True)
class Tables:
    """What is committed."""

    progress: dict[LogKey, Progress] = field(default_factory=dict)
    logs: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    outbox: dict[LogKey, list[OutboxRow]] = field(default_factory=lambda: defaultdict(list))
    counters: Counter[tuple[LogKey, str, str]] = field(default_factory=Counter)
    dead_letters: list[tuple[LogKey, DeadLetterRow]] = field(default_factory=list)
    extractions: Table[UUID, Extraction] = field(default_factory=Table)
    resolutions: Table[UUID, Resolution] = field(default_factory=Table)
    control: Table[UUID, ControlVersion] = field(default_factory=_control)
    believed: BelievedTables = field(default_factory=BelievedTables)
    identity: IdentityTables = field(default_factory=IdentityTables)


class MemoryReads:
    """`sinks.ports.Reads` on the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._extractions = Layer(tables.extractions)
        self._resolutions = Layer(tables.resolutions)
        self._control = Layer(tables.control)
        self._believed = Believed(tables.believed)
        self.identity = LayeredIdentity(tables.identity)

    async def extractions(self, ids: Collection[UUID]) -> dict[UUID, Extraction]:
        return {key: row for key in ids if (row := self._extractions.get(key)) is not None}

    async def resolutions(self, ids: Collection[UUID]) -> dict[UUID, Resolution]:
        return {key: row for key in ids if (row := self._resolutions.get(key)) is not None}

    async def control_heads(self, tenants: Collection[str]) -> dict[tuple[str, str], int]:
        rows = [row for tenant in set(tenants) for row in self._control.find("tenant", tenant)]
        return dict(Counter((row.tenant, row.kind) for row in rows))

    async def control_log(self, tenant: str, kind: str, after: int = 0) -> list[ControlVersion]:
        rows = sorted(self._control.find("kind", (tenant, kind)), key=lambda row: row.version)
        return rows[after:]

    async def predicates_held(self) -> list[tuple[str, str, Cardinality, int]]:
        found = Counter(
            (key.tenant, key.predicate, slot.cardinality) for key, slot in self._believed.slots.items()
        )
        return sorted((*row, n) for row, n in found.items())

    async def due_before(self, moment: datetime, limit: int) -> list[DueAt]:
        rows = [(row.at, row) for row in self._believed.dues.values() if row.at is not None]
        due = sorted((at, str(row.target), row.what, row) for at, row in rows if at <= moment)
        return [row for *_, row in due[:limit]]


class MemoryTransaction(MemoryReads):
    """`sinks.ports.Transaction`."""

    def __init__(self, tables: Tables, progress: Mapping[LogKey, Progress]) -> None:
        super().__init__(tables)
        self.progress = progress
        self._writes: list[Callable[[], None]] = []
        self._ordinals: Counter[tuple[LogKey, int]] = Counter()

    def commit(self) -> None:
        for write in self._writes:
            write()
        self._extractions.commit()
        self._resolutions.commit()
        self._control.commit()
        self._believed.commit()
        self.identity.commit()

    async def load(self, plan: LoadPlan) -> WorkingSet:
        return self._believed.load(plan)

    async def locate(self, wanted: Sequence[Locate]) -> list[list[SlotKey]]:
        return [self._believed.locate(one) for one in wanted]

    async def flush(self, ws: WorkingSet) -> None:
        self._believed.flush(ws)

    async def slots_held(self, tenant: str, predicates: Collection[str]) -> list[tuple[SlotKey, Cardinality]]:
        return self._believed.slots_held(tenant, predicates)

    async def mark_due_sent(self, rows: Sequence[DueAt]) -> None:
        self._believed.mark_due_sent(rows)

    async def add_extractions(self, rows: Sequence[Extraction]) -> None:
        refuse(self._extractions, [row.id for row in rows], "extractions")
        for row in rows:
            self._extractions.put(row.id, row)

    async def add_resolutions(self, rows: Sequence[Resolution]) -> None:
        refuse(self._resolutions, [row.fact_id for row in rows], "resolutions")
        for row in rows:
            self._resolutions.put(row.fact_id, row)

    async def add_control(self, tenant: str, kind: str, event: UUID, body: bytes) -> int | None:
        if event in self._control:
            return None
        number = len(self._control.find("kind", (tenant, kind))) + 1
        self._control.put(event, ControlVersion(tenant, kind, number, event, body))
        return number

    async def dead_letters(self, log: LogKey, rows: Sequence[DeadLetterRow]) -> None:
        added = [(log, row) for row in rows]
        self._writes.append(lambda: self._tables.dead_letters.extend(added))

    def count(self, name: str, detail: str = "", n: int = 1) -> None:
        if n:
            log = next(iter(self.progress))
            self._writes.append(lambda: self._tables.counters.update({(log, name, detail): n}))

    async def enqueue(self, log: LogKey, source_offset: int, records: Sequence[Outgoing]) -> None:
        first = self._ordinals[log, source_offset]
        self._ordinals[log, source_offset] += len(records)
        added = [
            OutboxRow(source_offset, first + n, row.topic, row.key, row.value, row.headers)
            for n, row in enumerate(records)
        ]
        self._writes.append(lambda: self._tables.outbox[log].extend(added))

    async def advance(self, log: LogKey, progress: Progress) -> None:
        def write() -> None:
            published = self._tables.progress.get(log, Progress()).published_offset
            self._tables.progress[log] = replace(
                progress, published_offset=max(published, progress.published_offset)
            )

        self._writes.append(write)


class MemoryLedger:
    """`sinks.ports.Ledger`. `tables` may be read by tests."""

    def __init__(self) -> None:
        self.tables = Tables()
        self._locks: dict[LogKey, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    @asynccontextmanager
    async def transaction(self, *logs: LogKey) -> AsyncIterator[MemoryTransaction]:
        ordered = distinct(logs)
        async with AsyncExitStack() as locked:
            for log in ordered:
                await locked.enter_async_context(self._locks[log])
            known = {log: self.tables.progress.get(log, Progress()) for log in ordered}
            transaction = MemoryTransaction(self.tables, known)
            yield transaction
            self.tables.progress = {**known, **self.tables.progress}
            transaction.commit()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[MemoryReads]:
        yield MemoryReads(self.tables)

    async def register_log(self, stage: str, topic: str, cluster_id: str, partitions: int) -> None:
        known = self.tables.logs.setdefault((stage, topic), (cluster_id, partitions))
        wrong = log_mismatch(stage, topic, known, (cluster_id, partitions))
        if wrong:
            raise IntegrityError(wrong)

    async def progress(self, log: LogKey) -> Progress | None:
        return self.tables.progress.get(log)

    async def unpublished(self, log: LogKey, limit: int) -> list[OutboxRow]:
        cursor = self.tables.progress.get(log, Progress()).published_offset
        rows = [row for row in self.tables.outbox[log] if row.source_offset >= cursor]
        if len(rows) <= limit:
            return rows
        return [row for row in rows if row.source_offset <= rows[limit - 1].source_offset]

    async def mark_published(self, ends: Mapping[LogKey, int]) -> None:
        for log, end in ends.items():
            known = self.tables.progress[log]
            self.tables.progress[log] = replace(known, published_offset=max(known.published_offset, end))

    async def entities(self, tenant: str | None = None) -> AsyncIterator[EntityRows]:
        tables = self.tables.believed
        wanted = sorted(key for key in tables.entities.rows if tenant is None or key.tenant == tenant)
        found = {key: EntityRows(tables.entities.rows[key]) for key in wanted}
        _sort_in(found, "slots", tables.slots.rows.values(), lambda row: row.key.owner)
        _sort_in(found, "claims", tables.claims.rows.values(), lambda row: row.cell.slot.owner)
        _sort_in(found, "supports", tables.supports.rows.values(), lambda row: row.cell.slot.owner)
        _sort_in(found, "endings", tables.endings.rows.values(), lambda row: row.slot.owner)
        _sort_in(found, "disputes", tables.disputes.rows.values(), lambda row: row.cell.slot.owner)
        _sort_in(found, "evidence", tables.evidence.rows.values(), lambda row: row.slot.owner)
        _sort_in(found, "decisions", tables.decisions.rows.values(), lambda row: row.slot.owner)
        _sort_in(found, "standings", tables.standings.rows.values(), lambda row: row.slot.owner)
        _sort_in(found, "retractions", tables.retractions.rows.values(), lambda row: row.slot.owner)
        _sort_in(found, "pending", tables.pending.rows.values(), lambda row: row.slot.owner)
        for key in wanted:
            yield found[key]


def _sort_in(
    found: dict[EntityKey, EntityRows], name: str, rows: Iterable[Any], owner: Callable[[Any], EntityKey]
) -> None:
    for row in rows:
        if owner(row) in found:
            getattr(found[owner(row)], name).append(row)
