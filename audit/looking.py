"""One audit: all checks of the stores that it is given."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import psycopg

from audit import ledger, sums, vectors
from audit.finding import Finding
from audit.kafka import open_topics


@dataclass(frozen=True, slots=True)
class Audited:
    """`checks` were made. `digest` is of what is believed: two ledgers that believe the same have the same one."""

    checks: tuple[str, ...]
    findings: tuple[Finding, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Broker:
    """`topics`: short name to full name; all are read."""

    bootstrap: str
    topics: dict[str, str]
    timeout_s: float = 30.0


def audit(
    dsn: str, schema: str, *, broker: Broker | None, index: str | None, timeout_s: float = 10.0
) -> Audited:
    """Look at the ledger, and at the topics and the vector index (its URI) unless None.

    The tables are seen as of one moment, topics and index after it. Raises CannotAudit.
    """
    found: list[Finding] = []
    made: list[str] = []
    with ledger.open_ledger(dsn, schema, timeout_s) as connection:
        for rule in ledger.rules():
            made.append(rule.check)
            broken = ledger.check(connection, rule)
            found += [] if broken is None else [broken]
        believed = ledger.digest(connection)
        if broker is not None:
            made += ["events", "inbox", "topics", "order", "progress"]
            found += asyncio.run(_topics(connection, broker))
        if index is not None:
            made.append("vectors")
            found += vectors.compare(connection, vectors.rows(index))
    return Audited(tuple(made), tuple(found), believed)


async def _topics(connection: psycopg.Connection[Any], broker: Broker) -> list[Finding]:
    async with open_topics(broker.bootstrap, list(broker.topics.values()), broker.timeout_s) as topics:
        return await sums.compare(connection, topics, broker.topics)
