"""The ledger on PostgreSQL: pool, schema, transactions, outbox."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool

from processors.digest import EntityRows
from schemas.errors import IntegrityError
from sinks.ports import Headers, LogKey, OutboxRow, Progress, distinct, log_mismatch
from sinks.postgres.binary import array
from sinks.postgres.connect import configure, conninfo, where
from sinks.postgres.entities import entities
from sinks.postgres.faults import connecting, translated
from sinks.postgres.migrate import migrate
from sinks.postgres.statements import SQL
from sinks.postgres.transaction import PostgresReads, PostgresTransaction, at_logs


class PostgresLedger:
    """`sinks.ports.Ledger`. One per process and event loop; `schema` may be a fresh one (a replay's)."""

    def __init__(
        self, dsn: str, *, schema: str = "claimstream", pool_size: int = 4, timeout_s: float = 10.0
    ) -> None:
        """`timeout_s`: seconds to wait for a connection before TransientError."""
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
            name="ledger",
            kwargs={"connect_timeout": max(2, round(timeout_s))},
        )

    async def open(self) -> None:
        """Raises ConfigurationError (address, login), TransientError (no answer), IntegrityError (newer schema)."""
        with connecting(self._where):
            async with await psycopg.AsyncConnection.connect(
                self._conninfo, connect_timeout=max(2, round(self._timeout_s))
            ) as connection:
                await migrate(connection, self._schema)
        with connecting(self._where):
            await self._pool.open(wait=True, timeout=self._timeout_s)

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def transaction(self, *logs: LogKey) -> AsyncIterator[PostgresTransaction]:
        with translated():
            async with self._pool.connection() as connection:
                transaction = PostgresTransaction(connection, await _locked(connection, distinct(logs)))
                yield transaction
                await transaction.finish()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresReads]:
        with translated():
            async with self._pool.connection() as connection:
                yield PostgresReads(connection)

    async def register_log(self, stage: str, topic: str, cluster_id: str, partitions: int) -> None:
        values = {"stage": stage, "topic": topic, "cluster_id": cluster_id, "partitions": partitions}
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(SQL["register_log"], values)
                known = await cursor.fetchone()
        wrong = (
            None
            if known is None
            else log_mismatch(stage, topic, (known[0], known[1]), (cluster_id, partitions))
        )
        if wrong:
            raise IntegrityError(wrong)

    async def progress(self, log: LogKey) -> Progress | None:
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(SQL["read_progress"], log._asdict())
                row = await cursor.fetchone()
        return None if row is None else Progress(*row)

    async def unpublished(self, log: LogKey, limit: int) -> list[OutboxRow]:
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(SQL["unpublished"], {**log._asdict(), "n": limit})
                rows = await cursor.fetchall()
        return [
            OutboxRow(offset, ordinal, target, key, value, _headers(headers))
            for offset, ordinal, target, key, value, headers in rows
        ]

    async def mark_published(self, ends: Mapping[LogKey, int]) -> None:
        values = {**at_logs(list(ends)), "next_offsets": array("i", list(ends.values()))}
        with translated():
            async with self._pool.connection() as connection, connection.pipeline():
                await connection.execute(SQL["publish_asynchronously"])
                await connection.execute(SQL["mark_published"], values)

    async def entities(self, tenant: str | None = None) -> AsyncIterator[EntityRows]:
        with translated():
            async with self._pool.connection() as connection:
                async for rows in entities(connection, tenant):
                    yield rows


async def _locked(connection: psycopg.AsyncConnection[Any], logs: Sequence[LogKey]) -> dict[LogKey, Progress]:
    places = at_logs(logs)
    while True:
        # The first statement of the transaction, in one round trip with its BEGIN.
        async with connection.pipeline():
            cursor = await connection.execute(SQL["lock_progress"], places)
        rows = await cursor.fetchall()
        if len(rows) == len(logs):
            return {log: Progress(*row[1:]) for log, row in zip(logs, rows, strict=True)}
        # Nothing was read yet but these rows: the missing ones can still be made and all locked again.
        await connection.execute(SQL["insert_progress"], places)


def _headers(stored: list[list[str]]) -> Headers:
    return tuple((name, value.encode("latin-1")) for name, value in stored)
