"""Several questions in one round trip."""

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import AsyncConnection

from sinks.postgres.statements import SQL

Rows = list[tuple[Any, ...]]


async def ask(
    connection: AsyncConnection[Any], questions: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[Rows]:
    """The answers to the statements (name, values), in order."""
    async with connection.pipeline():
        cursors = [await connection.execute(SQL[name], values, binary=True) for name, values in questions]
    return [await cursor.fetchall() for cursor in cursors]
