"""The vector index against the claims."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import lancedb
import psycopg

from audit.finding import NAMED, CannotAudit, Finding

_ADVICE = (
    "the index can be thrown away: delete its folder and project the claims topic again from the beginning"
)
_COLUMNS = ["tenant", "claim_id", "entity", "predicate", "status", "text_hash", "version"]
#: Of each claim what the index must show. The version is that of the claim's last event, which the outbox keeps.
_CLAIMS = """
SELECT c.tenant, c.id::text, c.entity, c.predicate, c.status, c.text, length(c.vector) > 0, o.version
FROM claims AS c
LEFT JOIN (
    SELECT b.claim_id, max(b.entity_version) AS version
    FROM outbox, json_to_record(convert_from(value, 'UTF8')::json) AS b (claim_id uuid, entity_version bigint)
    WHERE target LIKE '%.claims.v1' GROUP BY b.claim_id
) AS o ON o.claim_id = c.id
"""


class Held(NamedTuple):
    """A row of the index, but for its key."""

    entity: str
    predicate: str
    status: str
    text_hash: str
    version: int


def rows(uri: str, table: str = "claims") -> dict[tuple[str, str], Held]:
    """The rows by (tenant, claim id). Raises CannotAudit."""
    try:
        opened = lancedb.connect(uri).open_table(table)
        # Without a number a query gives ten rows.
        query = opened.search().select(_COLUMNS).limit(max(1, opened.count_rows()))
        return dict(_pairs(query))
    except Exception as error:
        raise CannotAudit(f"the vector index at {uri} cannot be read: {error}") from None


def _pairs(query: Any) -> Iterator[tuple[tuple[str, str], Held]]:
    for batch in query.to_batches():
        columns = [batch.column(name).to_pylist() for name in _COLUMNS]
        for tenant, key, entity, predicate, status, hashed, version in zip(*columns, strict=True):
            row = Held(sys.intern(entity), sys.intern(predicate), sys.intern(status), hashed, version)
            yield (sys.intern(tenant), key), row


def compare(connection: psycopg.Connection[Any], held: dict[tuple[str, str], Held]) -> list[Finding]:
    """Claims without a row, rows that differ from their claim, rows without a claim. `held` is used up."""
    missing: list[str] = []
    stale: list[str] = []
    with connection.cursor(name="audit_claims") as cursor:
        cursor.itersize = 5000
        cursor.execute(_CLAIMS)
        for tenant, key, entity, predicate, status, text, indexed, version in cursor:
            row = held.pop((tenant, key), None)
            name = f"{tenant} {entity} {predicate} claim {key}"
            if row is None:
                missing += [name] if indexed else []
                continue
            hashed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            expected = Held(
                entity, predicate, status, row.text_hash if status == "erased" else hashed, version
            )
            if row != expected:
                stale.append(f"{name}: {_difference(row, expected)}")
    orphans = [f"{tenant} claim {key}" for tenant, key in held]
    return [
        Finding("vectors", rule, len(found), tuple(sorted(found)[:NAMED]), _ADVICE)
        for rule, found in (
            ("claims that the index does not have", missing),
            ("rows of the index that differ from their claim", stale),
            ("rows of the index without a claim", orphans),
        )
        if found
    ]


def _difference(row: Held, expected: Held) -> str:
    pairs = zip(Held._fields, row, expected, strict=True)
    return ", ".join(f"{name} is {mine}, must be {wanted}" for name, mine, wanted in pairs if mine != wanted)
