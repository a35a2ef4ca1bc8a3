"""The ledger in memory: the same ports, for the in-process driver and for property tests.

A transaction keeps its writes to itself and applies them when it ends well, so that a crash in it leaves nothing.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import orjson

from processors.deciding.model import (
    CellKey,
    Claim,
    Decision,
    Dispute,
    Ending,
    Entity,
    EntityKey,
    Evidence,
    Slot,
    SlotKey,
    Support,
)
from processors.deciding.working_set import LoadPlan, WorkingSet
from processors.digest import EntityRows
from schemas.errors import IntegrityError
from schemas.reviews import ReviewRaised
from sinks.ports import (
    ControlVersion,
    DeadLetterRow,
    Extraction,
    LogKey,
    OutboxRow,
    Outgoing,
    Progress,
    Resolution,
    log_mismatch,
)


@dataclass(slots=True)
class Tables:
    """What is committed."""

    progress: dict[LogKey, Progress] = field(default_factory=dict)
    logs: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    outbox: dict[LogKey, list[OutboxRow]] = field(default_factory=lambda: defaultdict(list))
    counters: Counter[tuple[LogKey, str, str]] = field(default_factory=Counter)
    dead_letters: list[tuple[LogKey, DeadLetterRow]] = field(default_factory=list)
    extractions: dict[UUID, Extraction] = field(default_factory=dict)
    resolutions: dict[UUID, Resolution] = field(default_factory=dict)
    control: dict[tuple[str, str], list[ControlVersion]] = field(default_factory=lambda: defaultdict(list))
    entities: dict[EntityKey, Entity] = field(default_factory=dict)
    slots: dict[SlotKey, Slot] = field(default_factory=dict)
    claims: dict[UUID, Claim] = field(default_factory=dict)
    cells: dict[CellKey, set[UUID]] = field(default_factory=lambda: defaultdict(set))
    supports: dict[CellKey, dict[str, Support]] = field(default_factory=lambda: defaultdict(dict))
    endings: dict[tuple[SlotKey, str], Ending] = field(default_factory=dict)
    disputes: dict[UUID, Dispute] = field(default_factory=dict)
    disputed: dict[CellKey, set[UUID]] = field(default_factory=lambda: defaultdict(set))
    evidence: dict[UUID, Evidence] = field(default_factory=dict)
    decisions: dict[UUID, Decision] = field(default_factory=dict)
    reviews: dict[UUID, ReviewRaised] = field(default_factory=dict)


class MemoryReads:
    """`sinks.ports.Reads` on the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def extractions(self, ids: Collection[UUID]) -> dict[UUID, Extraction]:
        return {key: self._tables.extractions[key] for key in ids if key in self._tables.extractions}

    async def resolutions(self, ids: Collection[UUID]) -> dict[UUID, Resolution]:
        return {key: self._tables.resolutions[key] for key in ids if key in self._tables.resolutions}

    async def control_heads(self, tenants: Collection[str]) -> dict[tuple[str, str], int]:
        return {key: len(rows) for key, rows in self._tables.control.items() if key[0] in tenants and rows}

    async def control_log(self, tenant: str, kind: str, after: int = 0) -> list[ControlVersion]:
        return self._tables.control.get((tenant, kind), [])[after:]


class MemoryTransaction(MemoryReads):
    """`sinks.ports.Transaction`."""

    def __init__(self, tables: Tables, log: LogKey, progress: Progress) -> None:
        super().__init__(tables)
        self.log = log
        self.progress = progress
        self._writes: list[Callable[[], None]] = []
        self._versions: Counter[tuple[str, str]] = Counter()
        self._events: set[UUID] = set()
        self._ordinals: Counter[int] = Counter()

    def commit(self) -> None:
        for write in self._writes:
            write()

    async def load(self, plan: LoadPlan) -> WorkingSet:
        tables, ws = self._tables, WorkingSet()
        ws.decided.update(key for key in plan.record_ids if key in tables.decisions)
        # Copies: the fold counts up the versions of entities and slots in place.
        ws.entities.update((k, replace(tables.entities[k])) for k in plan.entities if k in tables.entities)
        ws.slots.update((key, replace(tables.slots[key])) for key in plan.slots if key in tables.slots)
        for cell, moment in plan.cells.items():
            for key in tables.cells.get(cell, ()):
                if tables.claims[key].reach >= moment:
                    ws.load_claim(replace(tables.claims[key], vector=""))
            for support in tables.supports.get(cell, {}).values():
                ws.load_support(replace(support))
            for key in tables.disputed.get(cell, ()):
                ws.load_dispute(replace(tables.disputes[key]))
        for ending in plan.endings:
            if ending in tables.endings:
                ws.endings[ending] = replace(tables.endings[ending])
        for dispute in [row for rows in ws.disputes.values() for row in rows.values()]:
            for key in (dispute.challenger, *dispute.incumbents):
                if key not in ws.claims and key in tables.claims:
                    ws.load_claim(replace(tables.claims[key], vector=""))
        return ws

    async def flush(self, ws: WorkingSet) -> None:
        tables = self._tables
        _refuse(tables.decisions, [row.id for row in ws.decisions], "decisions")
        entities = [(key, replace(row)) for key, row in ws.dirty_entities.items()]
        slots = [(key, replace(row)) for key, row in ws.dirty_slots.items()]
        claims = [replace(row) for row in ws.dirty_claims.values()]
        # As a store would give it back: JSON has no tuples.
        decisions = [replace(row, detail=orjson.loads(orjson.dumps(row.detail))) for row in ws.decisions]
        reviews = [event for event in ws.events if isinstance(event, ReviewRaised)]

        def write() -> None:
            tables.entities.update(entities)
            tables.slots.update(slots)
            for claim in claims:
                held = tables.claims.get(claim.id)
                kept = held.vector if held is not None and not claim.vector else claim.vector
                tables.claims[claim.id] = replace(claim, vector=kept)
                tables.cells[claim.cell].add(claim.id)
            for (cell, agent), support in ws.dirty_supports.items():
                tables.supports[cell][agent] = support
            tables.endings.update(ws.dirty_endings)
            for dispute in ws.dirty_disputes.values():
                tables.disputes[dispute.id] = dispute
                named = tables.disputed[dispute.cell]
                named.add(dispute.id) if dispute.status == "open" else named.discard(dispute.id)
            tables.evidence.update((row.id, row) for row in ws.evidence)
            tables.decisions.update((row.id, row) for row in decisions)
            tables.reviews.update((row.review_id, row) for row in reviews)

        self._writes.append(write)

    async def add_extractions(self, rows: Sequence[Extraction]) -> None:
        added = {row.id: row for row in rows}
        _refuse(self._tables.extractions, [row.id for row in rows], "extractions")
        self._writes.append(lambda: self._tables.extractions.update(added))

    async def add_resolutions(self, rows: Sequence[Resolution]) -> None:
        added = {row.fact_id: row for row in rows}
        _refuse(self._tables.resolutions, [row.fact_id for row in rows], "resolutions")
        self._writes.append(lambda: self._tables.resolutions.update(added))

    async def add_control(self, tenant: str, kind: str, event: UUID, body: bytes) -> int | None:
        rows = self._tables.control[tenant, kind]
        known = {row.event for versions in self._tables.control.values() for row in versions}
        if event in known or event in self._events:
            return None
        self._events.add(event)
        self._versions[tenant, kind] += 1
        version = ControlVersion(tenant, kind, len(rows) + self._versions[tenant, kind], event, body)
        self._writes.append(lambda: rows.append(version))
        return version.version

    async def dead_letters(self, rows: Sequence[DeadLetterRow]) -> None:
        added = [(self.log, row) for row in rows]
        self._writes.append(lambda: self._tables.dead_letters.extend(added))

    def count(self, name: str, detail: str = "", n: int = 1) -> None:
        if n:
            self._writes.append(lambda: self._tables.counters.update({(self.log, name, detail): n}))

    async def enqueue(self, source_offset: int, records: Sequence[Outgoing]) -> None:
        first = self._ordinals[source_offset]
        self._ordinals[source_offset] += len(records)
        added = [
            OutboxRow(source_offset, first + n, row.topic, row.key, row.value, row.headers)
            for n, row in enumerate(records)
        ]
        self._writes.append(lambda: self._tables.outbox[self.log].extend(added))

    async def advance(self, next_offset: int, last_offset: int, last_hash: bytes) -> None:
        def write() -> None:
            published = self._tables.progress.get(self.log, Progress()).published_offset
            self._tables.progress[self.log] = Progress(next_offset, last_offset, last_hash, published)

        self._writes.append(write)


class MemoryLedger:
    """`sinks.ports.Ledger`. `tables` may be read by tests."""

    def __init__(self) -> None:
        self.tables = Tables()
        self._locks: dict[LogKey, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    @asynccontextmanager
    async def transaction(self, log: LogKey) -> AsyncIterator[MemoryTransaction]:
        async with self._locks[log]:
            known = self.tables.progress.get(log)
            transaction = MemoryTransaction(self.tables, log, known or Progress())
            yield transaction
            if known is None:
                self.tables.progress[log] = Progress()
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

    async def mark_published(self, log: LogKey, next_offset: int) -> None:
        known = self.tables.progress[log]
        self.tables.progress[log] = replace(known, published_offset=max(known.published_offset, next_offset))

    async def entities(self, tenant: str | None = None) -> AsyncIterator[EntityRows]:
        tables = self.tables
        wanted = sorted(key for key in tables.entities if tenant is None or key.tenant == tenant)
        found = {key: EntityRows(tables.entities[key]) for key in wanted}
        supports = [row for rows in tables.supports.values() for row in rows.values()]
        _sort_in(found, "slots", tables.slots.values(), lambda row: row.key.owner)
        _sort_in(found, "claims", tables.claims.values(), lambda row: row.cell.slot.owner)
        _sort_in(found, "supports", supports, lambda row: row.cell.slot.owner)
        _sort_in(found, "endings", tables.endings.values(), lambda row: row.slot.owner)
        _sort_in(found, "disputes", tables.disputes.values(), lambda row: row.cell.slot.owner)
        _sort_in(found, "evidence", tables.evidence.values(), lambda row: row.slot.owner)
        _sort_in(found, "decisions", tables.decisions.values(), lambda row: row.slot.owner)
        for key in wanted:
            yield found[key]


def _sort_in(
    found: dict[EntityKey, EntityRows], name: str, rows: Iterable[Any], owner: Callable[[Any], EntityKey]
) -> None:
    for row in rows:
        if owner(row) in found:
            getattr(found[owner(row)], name).append(row)


def _refuse(table: dict[UUID, Any], added: Sequence[UUID], name: str) -> None:
    if len(set(added)) < len(added) or any(key in table for key in added):
        raise IntegrityError(f"the ledger has such a row already ({name}); nothing was changed")
