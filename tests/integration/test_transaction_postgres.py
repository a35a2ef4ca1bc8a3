"""The ledger on a real Postgres: schema versions, lost connections, planner."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from schemas.errors import ConfigurationError, IntegrityError, TransientError
from sinks.ports import LogKey, Progress
from sinks.postgres import PostgresLedger
from sinks.postgres.migrate import migrations
from sinks.postgres.statements import SQL
from tests.contract.ledger_world import run, stream, world

pytestmark = pytest.mark.postgres
LOG = LogKey("s", "t", 0)


@asynccontextmanager
async def opened(database: str, **settings: Any) -> AsyncIterator[PostgresLedger]:
    """Closed whatever happens: a pool that is left open keeps its event loop."""
    ledger = PostgresLedger(database, **settings)
    await ledger.open()
    try:
        yield ledger
    finally:
        await ledger.close()


def tables(database: str, schema: str) -> list[str]:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [schema]
        )
        return [row[0] for row in found.fetchall()]


async def test_migrations_run_by_themselves_once(database: str) -> None:
    ledgers = [PostgresLedger(database, schema="fresh") for _ in range(4)]
    outcomes = await asyncio.gather(*(ledger.open() for ledger in ledgers), return_exceptions=True)
    for ledger in ledgers:
        await ledger.close()
    assert outcomes == [None] * 4
    with psycopg.connect(database) as connection:
        versions = connection.execute("SELECT version FROM fresh.schema_version ORDER BY 1").fetchall()
    assert versions == [(step.version,) for step in migrations()]
    assert "claims" in tables(database, "fresh") and tables(database, "claimstream") == []


async def test_a_newer_schema_is_refused_and_not_touched(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute(
            "CREATE SCHEMA claimstream; CREATE TABLE claimstream.schema_version "
            "(version integer PRIMARY KEY, name text, applied_at timestamptz DEFAULT now())"
        )
        connection.execute("INSERT INTO claimstream.schema_version VALUES (999, 'of_the_future')")
    ledger = PostgresLedger(database)
    with pytest.raises(IntegrityError, match=r"999 \(of_the_future\).*upgrade"):
        await ledger.open()
    assert tables(database, "claimstream") == ["schema_version"]


async def test_two_schemas_share_nothing(database: str) -> None:
    async with opened(database) as live, opened(database, schema='re"play X') as replay:
        async with live.transaction(LOG) as tx:
            await tx.advance(LOG, Progress(5, 4, b"h"))
        assert await replay.progress(LOG) is None


async def test_a_connection_lost_in_the_transaction_is_transient_and_the_next_try_works(
    database: str,
) -> None:
    async with opened(database) as ledger:
        with pytest.raises(TransientError):
            async with ledger.transaction(LOG) as tx:
                await tx.advance(LOG, Progress(5, 4, b"h"))
                with psycopg.connect(database, autocommit=True) as other:
                    other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name = 'claimstream' AND state = 'idle in transaction'"
                    )
        async with ledger.transaction(LOG) as tx:
            assert tx.progress[LOG].next_offset == 0
            await tx.advance(LOG, Progress(5, 4, b"h"))
        progress = await ledger.progress(LOG)
        assert progress is not None and progress.next_offset == 5


async def test_an_exhausted_pool_is_transient(database: str) -> None:
    async with opened(database, pool_size=1, timeout_s=0.2) as ledger, ledger.transaction(LOG):
        with pytest.raises(TransientError):
            async with ledger.transaction(LOG):
                pass


async def test_no_server_says_where_and_what_to_do() -> None:
    ledger = PostgresLedger("host=127.0.0.1 port=1 user=nobody password=secret dbname=d", timeout_s=1)
    with pytest.raises(TransientError, match=r"127.0.0.1:1/d.*CLAIMSTREAM_DSN") as caught:
        await ledger.open()
    assert "secret" not in str(caught.value)


async def test_a_missing_database_is_a_matter_of_configuration(database: str) -> None:
    ledger = PostgresLedger(psycopg.conninfo.make_conninfo(database, dbname="is_not_there"))
    with pytest.raises(ConfigurationError, match="CLAIMSTREAM_DSN"):
        await ledger.open()


def test_an_unreadable_address_is_a_matter_of_configuration() -> None:
    with pytest.raises(ConfigurationError):
        PostgresLedger("nonsense nonsense")


async def test_the_working_set_comes_by_index_also_while_tables_are_small(database: str) -> None:
    """A plan made on small tables may be kept for a long time: it must not scan them."""
    async with opened(database) as ledger:
        made = world()
        await run(ledger, made, stream(made, 60), 60)
        types: dict[str, str] = {
            "slots": "uuid[]",
            "cells": "uuid[]",
            "moments": "timestamptz[]",
            "ids": "uuid[]",
            "tenants": "text[]",
        }
        async with ledger._pool.connection() as connection:
            await connection.execute("ANALYZE")
            await connection.execute("SET plan_cache_mode = force_generic_plan")
            for name, statement in SQL.items():
                if not name.startswith("load_"):
                    continue
                text = statement.decode().replace("%(entities)s", "%(tenants)s")
                used = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
                for n, parameter in enumerate(used, start=1):
                    text = text.replace(f"%({parameter})s", f"${n}")
                declared = ", ".join(types.get(parameter, "uuid[]") for parameter in used)
                await connection.execute(f"PREPARE {name} ({declared}) AS {text}".encode())
                empty = ", ".join("'{}'" for _ in used)
                found = await connection.execute(f"EXPLAIN EXECUTE {name} ({empty})".encode())
                plan = "\n".join(row[0] for row in await found.fetchall())
                assert "Seq Scan" not in plan and "Hash Join" not in plan and "Merge Join" not in plan, (
                    name,
                    plan,
                )
