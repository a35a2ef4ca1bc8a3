"""The ledger on a real Postgres: schema versions, lost connections, planner."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from schemas.errors import ConfigurationError, IntegrityError, TransientError
from sinks.ports import LogKey
from sinks.postgres import PostgresLedger
from sinks.postgres.migrate import migrations
from sinks.postgres.statements import SQL

pytestmark = pytest.mark.postgres
LOG = LogKey("s", "t", 0)


def tables(database: str, schema: str) -> list[str]:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [schema]
        )
        return [row[0] for row in found.fetchall()]


async def test_migrations_run_by_themselves_once(database: str) -> None:
    ledgers = [PostgresLedger(database, schema="fresh") for _ in range(4)]
    await asyncio.gather(*(ledger.open() for ledger in ledgers))
    for ledger in ledgers:
        await ledger.close()
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
    live, replay = PostgresLedger(database), PostgresLedger(database, schema='re"play X')
    await live.open()
    await replay.open()
    async with live.transaction(LOG) as tx:
        await tx.advance(5, 4, b"h")
    assert await replay.progress(LOG) is None
    await live.close()
    await replay.close()


async def test_a_connection_lost_in_the_transaction_is_transient_and_the_next_try_works(
    database: str,
) -> None:
    ledger = PostgresLedger(database)
    await ledger.open()
    with pytest.raises(TransientError):
        async with ledger.transaction(LOG) as tx:
            await tx.advance(5, 4, b"h")
            with psycopg.connect(database, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'claimstream' AND state = 'idle in transaction'"
                )
    async with ledger.transaction(LOG) as tx:
        assert tx.progress.next_offset == 0
        await tx.advance(5, 4, b"h")
    progress = await ledger.progress(LOG)
    assert progress is not None and progress.next_offset == 5
    await ledger.close()


async def test_an_exhausted_pool_is_transient(database: str) -> None:
    ledger = PostgresLedger(database, pool_size=1, timeout_s=0.2)
    await ledger.open()
    async with ledger.transaction(LOG):
        with pytest.raises(TransientError):
            async with ledger.transaction(LOG):
                pass
    await ledger.close()


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


async def test_the_working_set_comes_by_index_also_while_tables_are_empty(database: str) -> None:
    """A plan made on empty tables may be kept for a long time: it must not scan."""
    ledger = PostgresLedger(database)
    await ledger.open()
    async with ledger._pool.connection() as connection:
        arrays = {
            "slots": "uuid[]",
            "cells": "uuid[]",
            "moments": "timestamptz[]",
            "ids": "uuid[]",
            "tenants": "text[]",
            "entities": "text[]",
        }
        for name, statement in SQL.items():
            if not name.startswith("load_"):
                continue
            text = statement.decode()
            for parameter, kind in arrays.items():
                text = text.replace(f"%({parameter})s", f"'{{}}'::{kind}")
            found = await connection.execute(f"EXPLAIN {text}".encode())
            plan = "\n".join(row[0] for row in await found.fetchall())
            assert "Seq Scan" not in plan and "Hash Join" not in plan, (name, plan)
    await ledger.close()
