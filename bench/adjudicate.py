"""Proposals decided and committed per second by one process, beside the bare COPY of the same rows.

    python -m bench.adjudicate [--dsn DSN] [--million 1000000] [--rounds 5] [--plot docs/adjudicate.svg]

Without ``--dsn`` a Postgres of its own is started. What is measured:

- ``proposals_per_s``: inbox records (JSON) decoded, loaded for, folded, flushed, queued and committed in batches of
  1,000, through the handler and the transaction of the stage; ``limit_per_s``: COPY of the very rows that this
  wrote, into the same tables, one transaction per batch. Rounds alternate; medians count.
- ``decide_per_s``: the decision logic alone, on state in memory; ``decode_encode_per_s``: the same records decoded
  and encoded, nothing else.
- ``million_factor``: p50 per proposal in a ledger with a million claims over that with 1,000; ``hot_entity_factor``:
  the same for an entity with 10,000 claims of its own over one with few; memory as resident size before and after.

The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from bench.proposals import proposals
from processors.deciding.control import DEFAULT_POLICY, ControlView
from processors.deciding.fold import fold
from processors.deciding.working_set import WorkingSet, plan
from processors.registry import Registry, shipped
from schemas.control import AuthoritySet, PolicySet
from schemas.inbox import Proposal
from sinks.ports import LogKey, Progress
from sinks.postgres import PostgresLedger, rows
from sinks.postgres.flush import copy
from streams.collector import settle_collector
from streams.controls import Controls
from streams.embedded.postgres import EmbeddedPostgres
from streams.stage import InRecord
from streams.stages.adjudicate import Adjudicate
from topics.partitioner import encode_key

SCHEMA = "bench_adjudicate"
BATCH = 1000
TOPIC = "memory.inbox.v1"
LOG = LogKey("adjudicate", TOPIC, 0)


class Shipped(ControlView):
    """Only what ships: no policy, no authority."""

    def policy(self, tenant: str, version: int) -> PolicySet:
        return DEFAULT_POLICY

    def authority(self, tenant: str, version: int) -> AuthoritySet | None:
        return None

    def registry(self, tenant: str, version: int) -> Registry:
        return shipped()


class Bench:
    """One ledger in a schema of its own, and a stream of proposals that goes on."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.ledger = PostgresLedger(dsn, schema=SCHEMA)
        self.handler = Adjudicate(Controls(), "memory")
        self.offset = 0

    async def open(self) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as admin:
            admin.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        await self.ledger.open()

    def records(self, source: Iterator[Proposal], n: int) -> list[InRecord]:
        made = []
        for proposal in islice(source, n):
            key = encode_key(proposal.tenant, proposal.entity)
            made.append(InRecord(TOPIC, 0, self.offset, key, proposal.to_json()))
            self.offset += 1
        return made

    async def run(self, batch: list[InRecord]) -> float:
        """Seconds from the bytes of a batch to its commit."""
        started = time.perf_counter()
        read = await self.handler.prepare(batch)
        async with self.ledger.transaction(LOG) as tx:
            applied = await self.handler.apply(tx, list(zip(batch, read, strict=True)))  # type: ignore[arg-type]
            last = batch[-1].offset
            await tx.enqueue(LOG, last, [record for _, record in applied.outgoing])
            await tx.advance(LOG, Progress(last + 1, last, b"h" * 16))
        return time.perf_counter() - started

    async def fill(self, total: int, first: int, entity: str = "") -> None:
        """Adds claims by the stage's own way."""
        source = proposals(first, max(1, total // 8), entity, fresh=True)
        for done in range(0, total, 5000):
            await self.run(self.records(source, min(5000, total - done)))
            if done and done % 100_000 == 0:
                print(f"  {done:,} claims", flush=True)

    def rest(self) -> None:
        """What a fill leaves to autovacuum (statistics, dead rows) is done before the next measurement."""
        with psycopg.connect(self.dsn, autocommit=True) as admin:
            admin.execute("VACUUM ANALYZE")

    async def p50(self, source: Iterator[Proposal], rounds: int) -> float:
        """Median microseconds per proposal; the first round prepares statements and caches."""
        took = [await self.run(self.records(source, BATCH)) for _ in range(rounds + 1)]
        return statistics.median(took[1:]) / BATCH * 1e6

    async def bare(self, batch: list[InRecord], number: int) -> float:
        """Seconds of the COPY of the rows that deciding ``batch`` on an empty ledger writes, made beforehand."""
        ws = WorkingSet()
        fold(ws, [Proposal.from_json(record.value) for record in batch], Shipped())
        outgoing = [event.to_json() for event in ws.events]
        place = ("bare", TOPIC, 0)
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
                [(*place, number, n, TOPIC, b"t\x1fe", body, b"[]") for n, body in enumerate(outgoing)],
            ),
        ]
        async with await psycopg.AsyncConnection.connect(
            self.dsn, options=f"-c search_path={SCHEMA}"
        ) as connection:
            started = time.perf_counter()
            for name, letters, values in sent:
                await copy(connection, name, letters, values)
            await connection.commit()
            return time.perf_counter() - started


def logic(rounds: int) -> tuple[float, float]:
    """(decisions per second, decode plus encode per second), medians of alternating rounds on the same records."""
    raw = [proposal.to_json() for proposal in islice(proposals(0, 200), 4 * BATCH)]
    decided, coded = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        read = [Proposal.from_json(record) for record in raw]
        for proposal in read:
            proposal.to_json()
        coded.append(len(raw) / (time.perf_counter() - started))
        started = time.perf_counter()
        ws = WorkingSet()
        for at in range(0, len(read), BATCH):
            plan(read[at : at + BATCH])
            fold(ws, read[at : at + BATCH], Shipped())
        decided.append(len(raw) / (time.perf_counter() - started))
    return statistics.median(decided), statistics.median(coded)


def resident_mb() -> float:
    """Resident memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


async def measure(dsn: str, million: int, rounds: int) -> tuple[dict[str, float], list[tuple[int, float]]]:
    bench = Bench(dsn)
    await bench.open()
    decide, code = logic(rounds)
    print(f"decision logic {decide:,.0f}/s, decode and encode {code:,.0f}/s", flush=True)
    await bench.fill(1000, 10_000_000)
    ours, limit = [], []
    source = proposals(0, 1_000_000)
    for number in range(rounds + 1):
        took = await bench.run(bench.records(source, BATCH))
        other = proposals(500_000_000 + number * 100_000, 50_000_000)
        bare = await bench.bare(
            [InRecord(TOPIC, 0, 0, b"", row.to_json()) for row in islice(other, BATCH)], number
        )
        if number:
            ours.append(BATCH / took)
            limit.append(BATCH / bare)
    print(f"committed {statistics.median(ours):,.0f}/s, COPY {statistics.median(limit):,.0f}/s", flush=True)
    mixed = proposals(20_000_000, 1_000_000)
    curve = [(1000, await bench.p50(mixed, rounds))]
    few = await bench.p50(proposals(30_000_000, 1, "user:few", fresh=True), rounds)
    await bench.fill(10_000, 40_000_000, "user:hot")
    hot = await bench.p50(proposals(45_000_000, 1, "user:hot", fresh=True), rounds)
    memory = resident_mb()
    steps = sorted({million // 100, million // 10, million})
    filled = 0
    for step in steps:
        await bench.fill(step - filled, 100_000_000 + filled * 2)
        filled = step
        bench.rest()
        curve.append((step, await bench.p50(mixed, rounds)))
        print(f"{step:,} claims: p50 {curve[-1][1]:.0f} us per proposal", flush=True)
    grown = resident_mb() / memory
    await bench.ledger.close()
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    found = {
        "proposals_per_s": round(statistics.median(ours)),
        "limit_per_s": round(statistics.median(limit)),
        "ratio": round(statistics.median(ours) / statistics.median(limit), 3),
        "decide_per_s": round(decide),
        "decode_encode_per_s": round(code),
        "decide_ratio": round(decide / code, 3),
        "million_factor": round(curve[-1][1] / curve[0][1], 3),
        "hot_entity_factor": round(hot / few, 3),
        "memory_factor": round(grown, 3),
    }
    return found, curve


def draw(curve: list[tuple[int, float]], path: Path) -> None:
    """The p50 per proposal over the number of claims, as SVG with a logarithmic axis."""
    from math import log10

    top = max(value for _, value in curve) * 1.2
    places = [(60 + (log10(n) - 3) * 110, 210 - value / top * 180) for n, value in curve]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in places)
    marks = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3"/><text x="{x:.0f}" y="{y - 8:.0f}">{value:.0f}</text>'
        f'<text x="{x:.0f}" y="228">{n:,}</text>'
        for (x, y), (n, value) in zip(places, curve, strict=True)
    )
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="460" height="250" font-family="sans-serif" font-size="11"'
        ' text-anchor="middle"><rect width="460" height="250" fill="white"/>'
        '<text x="230" y="14">p50 per proposal (microseconds) over claims in the ledger</text>'
        '<path d="M60 30V210H440" fill="none" stroke="gray"/>'
        f'<polyline points="{line}" fill="none" stroke="black"/>{marks}</svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--dsn", help="a Postgres; without it one is started for the bench")
    parser.add_argument("--million", type=int, default=1_000_000, help="claims of the large ledger")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plot", type=Path, help="write the curve as SVG")
    given = parser.parse_args()
    settle_collector()
    with ExitStack() as opened:
        dsn = given.dsn
        if dsn is None:
            # With a data folder it runs as it would for real: fsync on.
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            folder.chmod(0o755)
            dsn = opened.enter_context(EmbeddedPostgres(folder / "data")).dsn
        found, curve = asyncio.run(measure(dsn, given.million, given.rounds))
    if given.plot:
        draw(curve, given.plot)
    print(json.dumps({"bench": "adjudicate", **found}))


if __name__ == "__main__":
    main()
