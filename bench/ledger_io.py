"""What the ledger's own part of a batch costs, beside the bare COPY of the same rows.

    python -m bench.ledger_io --dsn DSN [--batch 1000] [--rounds 5] [--claims 0] [--hot 0]

A proposal here is a statement that becomes a claim (new claim, support, evidence, decision, slot and entity versions,
one outgoing record). No decision logic runs: the rows are made up, so that
loading, writing, queueing and committing are measured alone. The limit is the COPY of the very same rows, prepared
beforehand, into the same tables, in one transaction per batch. Rounds alternate; the median counts.

`--claims N` fills the ledger with N claims first, `--hot N` gives the entity that is spoken of N claims of its own:
the rates should stay where they were.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID, uuid5

import psycopg

from processors.deciding.model import (
    CellKey,
    Claim,
    Decision,
    EntityKey,
    Evidence,
    Order,
    Slot,
    SlotKey,
    Support,
)
from processors.deciding.working_set import LoadPlan, WorkingSet
from schemas.ids import NAMESPACE
from schemas.values import TypedValue
from sinks.ports import LogKey, Progress
from sinks.postgres import PostgresLedger, rows
from sinks.postgres.flush import copy
from streams.stage import OutRecord

SCHEMA = "bench_ledger_io"
LOG = LogKey("adjudicate", "inbox", 0)
START = datetime(2026, 3, 1, tzinfo=UTC)
VECTOR = b64encode(bytes(range(128)) * 3).decode()
HEADERS = tuple(
    (f"ce_{name}", b"claimstream.claim.v1") for name in ("specversion", "type", "source", "id", "time")
)
BODY = b"x" * 1100  # a claim event with its vector
PER_ENTITY = 8


class Statement:
    """What one proposal writes and what it must see first."""

    def __init__(self, n: int, entity: str) -> None:
        self.id = uuid5(NAMESPACE, f"bench:{n}")
        self.entity = EntityKey("t", entity)
        self.slot = SlotKey("t", entity, f"predicate{n % PER_ENTITY}", "")
        self.value = TypedValue(type="text", text=f"value number {n}", key=f"text:value number {n}")
        self.cell = CellKey(self.slot, self.value.key)
        self.at = START + timedelta(seconds=n)
        self.order = Order(1_772_323_200_000_000 + n * 1_000_000, "bench", f"event-{n}", 0)
        self.claim_id = uuid5(self.id, "claim")


def stream(first: int, entities: int, hot: str = "") -> Iterator[Statement]:
    n = first
    while True:
        yield Statement(n, hot or f"user:u{n // PER_ENTITY % entities}")
        n += 1


def plan(batch: list[Statement]) -> LoadPlan:
    cells = {cell: row.at for row in batch for cell in (CellKey(row.slot, ""), row.cell)}
    endings = tuple(dict.fromkeys((cell.slot, cell.value_key) for cell in cells))
    entities = tuple(dict.fromkeys(row.entity for row in batch))
    return LoadPlan(
        tuple(row.id for row in batch), entities, tuple({row.slot: None for row in batch}), cells, endings
    )


def fold(ws: WorkingSet, batch: list[Statement]) -> None:
    """Stands for the decision logic: puts the rows that it would put."""
    for row in batch:
        entity = ws.entity(row.entity)
        slot = ws.slots.get(row.slot) or Slot(row.slot, "many")
        slot.version += 1
        ws.put_slot(slot)
        entity.decisions += 1
        entity.version += 1
        claim = _claim(row)
        ws.put_claim(claim)
        ws.put_support(Support(row.cell, "agent", claim.id, row.order, 0.9, ("bench:e",)))
        ws.evidence.append(_evidence(row, claim.id))
        ws.decisions.append(_decision(row, claim.id, entity.decisions, slot.version))


def _claim(row: Statement) -> Claim:
    return Claim(
        id=row.claim_id,
        cell=row.cell,
        value=row.value,
        polarity="+",
        kind="semantic",
        basis="observed",
        status="active",
        reason="",
        text=f"the user says value number {row.order.ordinal}, in a sentence of usual length",
        vector=VECTOR,
        embedding_model="offline-minilm-int8",
        confidence=0.9,
        valid_from=row.at,
        valid_to=None,
        last_confirmed=row.at,
        order=row.order,
        slot_version=1,
        created_by=row.id,
        decided_by=row.id,
    )


def _evidence(row: Statement, claim: UUID) -> Evidence:
    return Evidence(
        id=row.id,
        slot=row.slot,
        claim_id=claim,
        agent="agent",
        order=row.order,
        origins=("bench:e",),
        confidence=0.9,
        basis="observed",
        polarity="+",
        ended=False,
        value_key=row.value.key,
        mention="I",
        label="predicate",
        match="exact",
        text="the user says something, in a sentence of usual length",
        quote="I say something of usual length",
        received_at=row.at,
    )


def _decision(row: Statement, claim: UUID, number: int, version: int) -> Decision:
    return Decision(
        id=row.id,
        slot=row.slot,
        number=number,
        case="j",
        outcome="ADD",
        rule="new",
        claim_id=claim,
        changed=((claim, "active"),),
        slot_version=version,
        strategy="",
        policy=1,
        authority=1,
        registry=0,
        agent="agent",
        order=row.order,
    )


def outgoing(batch: list[Statement]) -> list[OutRecord]:
    return [
        OutRecord("memory.claims.v1", b"t\x1f" + row.entity.entity.encode(), BODY, HEADERS) for row in batch
    ]


async def through_the_ledger(ledger: PostgresLedger, batch: list[Statement], offset: int) -> float:
    """Seconds of one batch: lock, load, (made-up) fold, flush, queue, advance, commit."""
    out = outgoing(batch)
    started = time.perf_counter()
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan(batch))
        fold(ws, batch)
        await tx.flush(ws)
        await tx.enqueue(LOG, offset, out)
        await tx.advance(LOG, Progress(offset + 1, offset, b"h" * 16))
        tx.count("received", n=len(batch))
    return time.perf_counter() - started


async def bare_copy(dsn: str, batch: list[Statement], offset: int) -> float:
    """Seconds of the COPY of the rows that `through_the_ledger` adds, made beforehand, in one transaction."""
    ws = WorkingSet()
    fold(ws, batch)
    log = ("bare", "inbox", 0)
    sent: list[tuple[str, str, list[Any]]] = [
        ("copy_decisions", rows.DECISION, [rows.decision_row(row) for row in ws.decisions]),
        ("copy_evidence", rows.EVIDENCE, [rows.evidence_row(row) for row in ws.evidence]),
        ("copy_claims", rows.CLAIM, [rows.claim_row(row) for row in ws.dirty_claims.values()]),
        ("copy_supports", rows.SUPPORT, [rows.support_row(row) for row in ws.dirty_supports.values()]),
        ("copy_slots", rows.SLOT, [rows.slot_row(row) for row in ws.dirty_slots.values()]),
        ("copy_entities", rows.ENTITY, [rows.entity_row(row) for row in ws.dirty_entities.values()]),
        (
            "copy_outbox",
            "ttnintyyJ",
            [(*log, offset, n, r.topic, r.key, r.value, b"[]") for n, r in enumerate(outgoing(batch))],
        ),
    ]
    async with await psycopg.AsyncConnection.connect(dsn, options=f"-c search_path={SCHEMA}") as connection:
        started = time.perf_counter()
        for name, letters, values in sent:
            await copy(connection, name, letters, values)
        await connection.commit()
        return time.perf_counter() - started


async def fill(ledger: PostgresLedger, claims: int, hot: int) -> None:
    """Adds claims by the ledger's own way, in large batches."""
    for total, source in (
        (claims, stream(10_000_000, max(1, claims // PER_ENTITY))),
        (hot, stream(90_000_000, 1, "user:hot")),
    ):
        for at in range(0, total, 5000):
            await through_the_ledger(ledger, list(islice(source, min(5000, total - at))), at)


async def measure(dsn: str, batch: int, rounds: int, claims: int, hot: int) -> dict[str, float]:
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    ledger = PostgresLedger(dsn, schema=SCHEMA)
    await ledger.open()
    await fill(ledger, claims, hot)
    source = stream(0, 1_000_000, "user:hot" if hot else "")
    # The bare rows are about other entities: their slots must be new.
    ours, theirs = [], []
    for number in range(rounds + 1):
        took = await through_the_ledger(ledger, list(islice(source, batch)), 1_000_000_000 + number)
        bare = stream(50_000_000 + number * 100_000, 10_000_000)
        limit = await bare_copy(dsn, list(islice(bare, batch)), number)
        if number:  # the first round prepares the statements
            ours.append(batch / took)
            theirs.append(batch / limit)
    await ledger.close()
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    return {"proposals_per_s": statistics.median(ours), "limit_per_s": statistics.median(theirs)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--claims", type=int, default=0)
    parser.add_argument("--hot", type=int, default=0)
    given = parser.parse_args()
    found = asyncio.run(measure(given.dsn, given.batch, given.rounds, given.claims, given.hot))
    ratio = found["proposals_per_s"] / found["limit_per_s"]
    rounded = {name: round(value) for name, value in found.items()}
    settings = {"batch": given.batch, "claims": given.claims, "hot": given.hot}
    print(json.dumps({"bench": "ledger_io", **settings, **rounded, "ratio": round(ratio, 3)}))


if __name__ == "__main__":
    main()
