"""Rules of the ledger's tables (rules.sql), each as one query that gives the subjects that break it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import psycopg
from psycopg import sql

from audit.finding import NAMED, CannotAudit, Finding

_ADVICE: Final = {
    "refold": "`claimstream reconsider ENTITY` decides it again; keep the rows for the report of a fault",
    "report": "this must not be: keep a copy of the schema and report it",
    "wait": "while records are under way this passes; else see `claimstream counts` and the log of the stage",
}
_RULE: Final = re.compile(r"^-- name: (\S+)\n-- rule: (.+)\n-- advice: (.+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rule:
    """`query` selects one text column: what breaks the rule."""

    check: str
    rule: str
    advice: str
    query: str


def rules() -> list[Rule]:
    """All of them, in the order of the file."""
    parts = _RULE.split(files("audit").joinpath("rules.sql").read_text("utf-8"))[1:]
    return [
        Rule(check, rule, _ADVICE.get(advice, advice), query.strip().rstrip(";"))
        for check, rule, advice, query in zip(*(parts[n::4] for n in range(4)), strict=True)
    ]


def open_ledger(dsn: str, schema: str, timeout_s: float) -> psycopg.Connection[Any]:
    """A connection that sees one moment and writes nothing. Raises CannotAudit."""
    try:
        connection = psycopg.connect(dsn, connect_timeout=max(2, round(timeout_s)))
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
        found = connection.execute("SELECT to_regclass('claims')").fetchone()
    except psycopg.Error as error:
        raise CannotAudit(f"Postgres cannot be read: {' '.join(str(error).split())}") from None
    if found is None or found[0] is None:
        connection.close()
        raise CannotAudit(
            f"there is no ledger in the schema {schema!r}; name another with CLAIMSTREAM_DB_SCHEMA"
        )
    return connection


def digest(connection: psycopg.Connection[Any]) -> str:
    """What is believed, as one number that does not depend on the order of rows: two ledgers that believe the same have
    the same one. Made in Postgres, of the active claims. Raises CannotAudit."""
    query = """
        SELECT count(*) || ':' || coalesce(sum(('x' || left(h, 16))::bit(64)::bigint::numeric), 0)
        FROM (SELECT md5(json_build_array(tenant, entity, predicate, scope, value_key, polarity, kind,
        extract(epoch FROM valid_from), extract(epoch FROM valid_to))::text) AS h
        FROM claims WHERE status = 'active') AS x
    """
    try:
        row = connection.execute(query.encode()).fetchone()
    except psycopg.Error as error:
        raise CannotAudit(f"the claims could not be read: {' '.join(str(error).split())}") from None
    assert row is not None
    return sha256(str(row[0]).encode()).hexdigest()


def check(connection: psycopg.Connection[Any], rule: Rule) -> Finding | None:
    """The finding, None when the rule holds. Raises CannotAudit."""
    query = f"SELECT count(*), (array_agg(t ORDER BY t))[1:{NAMED}] FROM ({rule.query}) AS x (t)"
    try:
        row = connection.execute(query.encode()).fetchone()
    except psycopg.Error as error:
        raise CannotAudit(
            f"the check {rule.check} could not be made: {' '.join(str(error).split())}"
        ) from None
    assert row is not None
    n, subjects = row
    return Finding(rule.check, rule.rule, n, tuple(subjects), rule.advice) if n else None
