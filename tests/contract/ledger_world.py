"""What the ledger suites share: both ledgers, a seeded stream of proposals, and a run through the fold."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from processors.deciding.fold import fold
from processors.deciding.working_set import plan
from processors.digest import EntityRows, LedgerDigest
from schemas.inbox import Proposal
from sinks.memory_ledger import MemoryLedger
from sinks.ports import Ledger, LogKey, Progress
from sinks.postgres import PostgresLedger
from streams.stage import InRecord
from tests.unit.deciding.world import START, World

LOG = LogKey("adjudicate", "memory.inbox.v1", 0)
KINDS = ["memory", pytest.param("postgres", marks=pytest.mark.postgres)]


@asynccontextmanager
async def opened(
    kind: str, request: pytest.FixtureRequest, schema: str = "claimstream"
) -> AsyncIterator[Ledger]:
    """A ledger of the kind, empty unless `schema` was used in this test before."""
    ledger: Ledger
    if kind == "memory":
        ledger = MemoryLedger()
    else:
        ledger = PostgresLedger(request.getfixturevalue("database"), schema=schema, pool_size=3)
    await ledger.open()
    try:
        yield ledger
    finally:
        await ledger.close()


@pytest.fixture(params=KINDS)
async def ledger(request: pytest.FixtureRequest) -> AsyncIterator[Ledger]:
    async with opened(request.param, request) as found:
        yield found


def world() -> World:
    """Two policies: recency as shipped, then authority with one heavy agent."""
    made = World()
    made.policy("authority", {"a": 0.9, "b": 0.4, "c": 0.4})
    return made


def stream(made: World, n: int, seed: int = 7) -> list[Proposal]:
    """`n` proposals on a few entities: late ones, endings, negations, weak matches, refinements, duplicates."""
    draw = Random(seed)
    proposals: list[Proposal] = []
    for _ in range(n):
        if proposals and draw.random() < 0.05:
            proposals.append(draw.choice(proposals))
            continue
        one = draw.random() < 0.6
        vector = bytes(draw.randrange(256) for _ in range(16))
        other: dict[str, Any] = {
            "entity": f"user:u{draw.randrange(4)}",
            "scope": draw.choice(["", "", "org:x"]),
            "predicate": "office" if one else "liking",
            "cardinality_hint": "one" if one else "many",
            "polarity": "-" if not one and draw.random() < 0.2 else "+",
            "ended": draw.random() < 0.25,
            "match": "weak" if draw.random() < 0.1 else "exact",
            "basis": "inferred" if draw.random() < 0.1 else "observed",
            "confidence": draw.choice([0.3, 0.7, 0.9]),
            "embedding_model": "m",
        }
        text = draw.choice(["Berlin", "Germany", "Munich", "Mitte", "Łódź", "東京"])
        proposal = made.proposal(draw.choice("abcd"), text, draw.randrange(200), **other)
        content = proposal.content.model_copy(update={"vector": base64.b64encode(vector).decode()})
        update = {
            "content": content,
            "event_time": proposal.event_time + timedelta(microseconds=draw.randrange(9**6)),
        }
        proposals.append(proposal.model_copy(update=update))
    return proposals


async def run(
    ledger: Ledger, made: World, proposals: Sequence[Proposal], batch: int, log: LogKey = LOG
) -> None:
    """Folds the proposals into the ledger, `batch` at a time, each batch a transaction."""
    for start in range(0, len(proposals), batch):
        part = proposals[start : start + batch]
        async with ledger.transaction(log) as tx:
            ws = await tx.load(plan(part))
            fold(ws, part, made.view)
            await tx.flush(ws)
            await tx.advance(log, Progress(start + len(part), start + len(part) - 1, b"h"))


async def rows(ledger: Ledger) -> list[EntityRows]:
    return [row async for row in ledger.entities()]


async def digest(ledger: Ledger) -> str:
    found = LedgerDigest()
    async for row in ledger.entities():
        found.add(row)
    return found.hexdigest()


def record(offset: int, value: bytes = b"v", topic: str = LOG.topic, partition: int = 0) -> InRecord:
    return InRecord(topic, partition, offset, b"t\x1fe", value, (), 1000 + offset)


__all__ = ["LOG", "START", "digest", "ledger", "opened", "record", "rows", "run", "stream", "world"]
