"""The vector index against the claims."""

from __future__ import annotations

import hashlib
from typing import Any

import lancedb
import psycopg

from audit.finding import NAMED, CannotAudit, Finding

_ADVICE = (
    "the index can be thrown away: delete its folder and project the claims topic again from the beginning"
)
_COLUMNS = ["tenant", "claim_id", "entity", "predicate", "status", "text_hash"]


def rows(uri: str, table: str = "claims") -> dict[tuple[str, str], tuple[str, str, str, str]]:
    """(tenant, claim id) to (entity, predicate, status, hash of the text). Raises CannotAudit."""
    try:
        opened = lancedb.connect(uri).open_table(table)
        # Without a number a query gives ten rows.
        found = opened.search().select(_COLUMNS).limit(max(1, opened.count_rows())).to_list()
    except Exception as error:
        raise CannotAudit(f"the vector index at {uri} cannot be read: {error}") from None
    return {
        (row["tenant"], row["claim_id"]): (row["entity"], row["predicate"], row["status"], row["text_hash"])
        for row in found
    }


def compare(
    connection: psycopg.Connection[Any], held: dict[tuple[str, str], tuple[str, str, str, str]]
) -> list[Finding]:
    """Claims without a row, rows that differ from their claim, rows without a claim."""
    missing: list[str] = []
    stale: list[str] = []
    left = dict(held)
    with connection.cursor(name="audit_claims") as cursor:
        cursor.itersize = 5000
        cursor.execute("SELECT tenant, id::text, entity, predicate, status, text, length(vector) FROM claims")
        for tenant, key, entity, predicate, status, text, vector in cursor:
            row = left.pop((tenant, key), None)
            name = f"{tenant} {entity} {predicate} claim {key}"
            if row is None:
                missing += [name] if vector else []
                continue
            hashed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            if (row[0], row[1], row[2]) != (entity, predicate, status) or (
                status != "erased" and row[3] != hashed
            ):
                stale.append(f"{name} is {status}, the index says {row[2]}")
    orphans = [f"{tenant} claim {key}" for tenant, key in left]
    return [
        Finding("vectors", rule, len(found), tuple(sorted(found)[:NAMED]), _ADVICE)
        for rule, found in (
            ("claims that the index does not have", missing),
            ("rows of the index that differ from their claim", stale),
            ("rows of the index without a claim", orphans),
        )
        if found
    ]
