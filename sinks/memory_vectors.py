"""The vector store in memory, for the in-process driver and for tests: same rules, exact search, nothing kept."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from processors.embedding import EmbedderProfile
from sinks.vector_rows import (
    BadFilter,
    FilterValue,
    Upserted,
    Vector,
    VectorHit,
    VectorRow,
    Wanted,
    check_filters,
    check_rows,
    check_vector,
    fold,
)


class MemoryVectors:
    """A VectorStore in a dict."""

    def __init__(self, profile: EmbedderProfile) -> None:
        self._profile = profile
        self._rows: dict[tuple[str, str], VectorRow] = {}

    async def upsert(self, rows: Sequence[VectorRow], *, heal: bool = False) -> Upserted:
        check_rows(rows, self._profile.model_id, self._profile.dimension)
        written = fold(rows, self._rows, heal)
        updated = sum(row.key in self._rows for row in written)
        self._rows.update((row.key, row) for row in written)
        return Upserted(len(rows), len(written) - updated, updated, len(rows) - len(written))

    async def search(
        self,
        vector: Vector,
        tenant: str,
        limit: int = 20,
        filters: Mapping[str, FilterValue] | None = None,
    ) -> list[VectorHit]:
        if not tenant:
            raise BadFilter("a search needs a tenant")
        wanted = check_filters(filters)
        check_vector(vector, self._profile.dimension)
        unit = vector / np.linalg.norm(vector)
        hits = [
            VectorHit(replace(row, vector=None), float(row.vector @ unit / np.linalg.norm(row.vector)))
            for row in self._rows.values()
            if row.tenant == tenant and row.vector is not None and _matches(row, wanted)
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.row.claim_id))
        return hits[: max(0, limit)]

    async def count(self, tenant: str | None = None, status: str | None = None) -> int:
        return sum(tenant in (None, r.tenant) and status in (None, r.status) for r in self._rows.values())

    async def rows(self, tenant: str | None = None) -> AsyncIterator[VectorRow]:
        for row in list(self._rows.values()):
            if tenant in (None, row.tenant):
                yield row

    async def optimize(self) -> None:
        """Nothing to compact."""

    async def recreate(self) -> None:
        self._rows.clear()

    async def close(self) -> None:
        """Nothing to end."""


def _matches(row: VectorRow, wanted: Wanted) -> bool:
    if any(getattr(row, name) not in texts for name, texts in wanted.columns):
        return False
    if wanted.as_of is None:
        return True
    started = row.valid_from is None or row.valid_from <= wanted.as_of
    return started and (row.valid_to is None or row.valid_to > wanted.as_of)
