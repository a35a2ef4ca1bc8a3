"""What every vector store holds and answers: rows, hits, filters, errors. No store in here.

Rules that all stores keep (tests/contract/test_vector_store.py):

- a row is known by (tenant, claim id); one tenant never sees or changes another's rows;
- a row of a lower or equal version never changes a stored one, so redelivery in any order is harmless;
- a claim that is no longer active keeps its row as a tombstone: were it deleted, an older event delivered again
  would bring it back. A search serves only ``active`` rows unless the filter says otherwise;
- all vectors of a table come from one embedding model.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from schemas.errors import ClaimstreamError, ConfigurationError, IntegrityError, TransientError

Vector = npt.NDArray[np.float32]
FilterValue = str | Sequence[str] | datetime
#: Filters that compare a column with one text or any of several.
TEXT_FILTERS = ("entity", "predicate", "scope", "kind", "status", "claim_id")
FILTERS = (*TEXT_FILTERS, "as_of")


class VectorStoreError(ClaimstreamError):
    """The vector store failed in a way this program does not know; see the cause."""


class VectorStoreUnavailable(TransientError):
    """The vector store cannot be reached or is busy; the call can be made again."""


class VectorStoreDamaged(IntegrityError):
    """The vector table cannot be read. Nothing is lost: recreate it and project the ledger's claims again."""


class EmbeddingModelMismatch(ConfigurationError):
    """The vector table was made with another embedding model; use that one, or rebuild the table."""


class BadFilter(ClaimstreamError):
    """A search filter is unknown or has a value of the wrong type."""


class BadVectorRow(ClaimstreamError):
    """A row does not fit the vector table (dimension, length, finite numbers)."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorRow:
    """One claim as the index shows it.

    ``version`` is the entity's dense version of the change that the row shows. ``vector`` has unit length,
    shape (dimension,); None means unchanged: the stored text and vector stay (only an erased claim loses them).
    ``updated_at`` is the event's time, never the clock's.
    """

    tenant: str
    claim_id: str
    entity: str
    predicate: str
    scope: str
    status: str
    version: int
    embedding_model: str
    text: str = ""
    vector: Vector | None = None
    kind: str = "semantic"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    updated_at: datetime | None = None
    text_hash: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return (self.tenant, self.claim_id)


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A found row without its vector; ``score`` is the cosine, -1 to 1."""

    row: VectorRow
    score: float


@dataclass(frozen=True, slots=True)
class Upserted:
    """What became of a batch: ``received`` rows = ``inserted`` + ``updated`` + ``dropped`` (not newer)."""

    received: int
    inserted: int
    updated: int
    dropped: int


class VectorStore(Protocol):
    """A table of claim vectors that can be thrown away and rebuilt from the ledger."""

    async def upsert(self, rows: Sequence[VectorRow], *, heal: bool = False) -> Upserted:
        """``heal``: a row of an equal version is written again (repair: lost vector, other text hash).

        Raises EmbeddingModelMismatch, BadVectorRow, VectorStoreUnavailable, VectorStoreDamaged."""
        ...

    async def search(
        self,
        vector: Vector,
        tenant: str,
        limit: int = 20,
        filters: Mapping[str, FilterValue] | None = None,
    ) -> list[VectorHit]:
        """Best first, equal scores by claim id. ``filters``: see FILTERS; default status ``active``.

        Raises BadFilter, BadVectorRow, VectorStoreUnavailable, VectorStoreDamaged.
        """
        ...

    async def count(self, tenant: str | None = None, status: str | None = None) -> int: ...

    def rows(self, tenant: str | None = None) -> AsyncIterator[VectorRow]:
        """All rows with their vectors, of one tenant or of all, in no order; for audits and repair."""
        ...

    async def optimize(self) -> None: ...

    async def recreate(self) -> None:
        """An empty table in place of whatever is there."""
        ...

    async def close(self) -> None: ...


def text_hash(text: str) -> str:
    """The SHA-256 of the text in hex: repair compares it with the ledger's without reading the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def check_rows(rows: Sequence[VectorRow], model: str, dimension: int) -> None:
    """Raises EmbeddingModelMismatch or BadVectorRow for the first row that does not fit."""
    for row in rows:
        if row.vector is None:
            continue
        if row.embedding_model != model:
            raise EmbeddingModelMismatch(
                f"claim {row.claim_id} was embedded with {row.embedding_model!r}, this table holds {model!r}: "
                "run all workers with one embedder, or rebuild the vector table from the ledger"
            )
        check_vector(row.vector, dimension)


def check_vector(vector: Vector, dimension: int) -> None:
    """BadVectorRow unless ``vector`` is ``dimension`` finite numbers with a direction."""
    if vector.shape != (dimension,):
        raise BadVectorRow(f"a vector of shape {vector.shape} was given, this table takes ({dimension},)")
    if not np.isfinite(vector).all() or not vector.any():
        raise BadVectorRow("a vector is all zeros or not finite; embed the text again")


def fold(
    rows: Sequence[VectorRow], stored: Mapping[tuple[str, str], VectorRow], heal: bool = False
) -> list[VectorRow]:
    """One row per claim to be written: the newest wins, what it leaves unsaid is taken from the one before.

    ``stored`` needs to hold only claims of the batch that may have to hand on a text or vector. Among equal
    versions the first wins (with ``heal`` the last), as it would if they came in two batches.
    """
    result: dict[tuple[str, str], VectorRow] = {}
    for row in sorted(rows, key=lambda r: r.version):
        before = result.get(row.key) or stored.get(row.key)
        if before is not None and before.version >= row.version + heal:
            continue
        result[row.key] = _completed(row, before)
    return list(result.values())


def _completed(row: VectorRow, before: VectorRow | None) -> VectorRow:
    if row.status == "erased":
        return replace(row, text="", text_hash="", vector=None)
    if row.vector is not None or before is None or before.status == "erased":
        return replace(row, text_hash=text_hash(row.text))
    return replace(
        row,
        text=before.text or row.text,
        text_hash=before.text_hash if before.text else text_hash(row.text),
        vector=before.vector,
        embedding_model=before.embedding_model,
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """A checked search filter: each column must equal one of its texts; valid at ``as_of`` if given."""

    columns: tuple[tuple[str, tuple[str, ...]], ...]
    as_of: datetime | None = None


def check_filters(filters: Mapping[str, FilterValue] | None) -> Wanted:
    """Raises BadFilter, naming the filters there are: a filter that is ignored would give wrong answers."""
    given = dict(filters or {})
    given.setdefault("status", "active")
    unknown = sorted(set(given) - set(FILTERS))
    if unknown:
        raise BadFilter(f"unknown filter {', '.join(map(repr, unknown))}; there are: {', '.join(FILTERS)}")
    as_of = given.pop("as_of", None)
    if as_of is not None and (not isinstance(as_of, datetime) or as_of.tzinfo is None):
        raise BadFilter("filter 'as_of' takes a datetime with a time zone")
    return Wanted(tuple((name, _texts(name, value)) for name, value in sorted(given.items())), as_of)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()
    if not texts or not all(isinstance(text, str) for text in texts):
        raise BadFilter(f"filter {name!r} takes a text or a non-empty list of texts")
    return texts
