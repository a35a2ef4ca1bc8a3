"""Brings a schema up to date: numbered files, each in a transaction, one program at a time."""

import re
from importlib.resources import files
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from schemas.errors import ConfigurationError, IntegrityError
from sinks.postgres.statements import SQL

_FILE: Final = re.compile(r"^(\d{4})_(\w+)\.sql$")


class Migration(NamedTuple):
    version: int
    name: str
    text: str


def migrations() -> list[Migration]:
    """The files of ``sinks/migrations``, by number; numbers are dense from 1."""
    found = []
    for entry in files("sinks").joinpath("migrations").iterdir():
        match = _FILE.match(entry.name)
        if match:
            found.append(Migration(int(match[1]), match[2], entry.read_text("utf-8")))
    found.sort()
    if [row.version for row in found] != list(range(1, len(found) + 1)):
        raise IntegrityError(
            f"the migrations are not numbered from 1 without a gap: {[row.version for row in found]}"
        )
    return found


async def migrate(
    connection: psycopg.AsyncConnection[Any], schema: str, known: list[Migration] | None = None
) -> list[int]:
    """Applies what is missing; returns the versions applied.

    Raises IntegrityError, with nothing changed, when the schema was made by a newer program.
    """
    steps = migrations() if known is None else known
    async with connection.transaction():
        # Held to the end of the transaction: a second program waits, then finds nothing to do.
        await connection.execute(SQL["lock_schema"], {"schema": schema})
        applied = await _applied(connection, schema)
        _refuse_newer(schema, applied, len(steps))
        pending = steps[max(applied, default=0) :]
        for step in pending:
            await connection.execute(step.text.encode(), prepare=False)
            await connection.execute(SQL["add_schema_version"], {"version": step.version, "name": step.name})
    return [step.version for step in pending]


async def require(connection: psycopg.AsyncConnection[Any], schema: str) -> None:
    """For programs that only read: raises ConfigurationError when there is no ledger (of this version) yet."""
    cursor = await connection.execute(SQL["schema_exists"], {"schema": schema})
    row = await cursor.fetchone()
    steps = migrations()
    if row is not None and row[1]:
        cursor = await connection.execute(SQL["schema_versions"])
        applied = dict(await cursor.fetchall())
        _refuse_newer(schema, applied, len(steps))
        if len(applied) == len(steps):
            return
    raise ConfigurationError(
        f"there is no ledger of this version in schema {schema!r}: start the stages once (`claimstream worker --all` "
        "or `claimstream dev`), they make it"
    )


def _refuse_newer(schema: str, applied: dict[int, str], last: int) -> None:
    newest = max(applied, default=0)
    if newest > last:
        raise IntegrityError(
            f"schema {schema!r} has version {newest} ({applied[newest]}), this program knows {last}: it was used "
            "by a newer claimstream; upgrade this one, or name another schema. Nothing was changed"
        )


async def _applied(connection: psycopg.AsyncConnection[Any], schema: str) -> dict[int, str]:
    cursor = await connection.execute(SQL["schema_exists"], {"schema": schema})
    row = await cursor.fetchone()
    has_schema, has_versions = row if row is not None else (False, False)
    if not has_schema:
        statement = sql.SQL(SQL["create_schema"].decode()).format(schema=sql.Identifier(schema))
        await connection.execute(statement)
    if not has_versions:
        await connection.execute(SQL["create_schema_version"])
    cursor = await connection.execute(SQL["schema_versions"])
    return dict(await cursor.fetchall())
