"""The vector store on LanceDB, and the only file that imports it. Why so: docs/decisions/0004-vector-store.md."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any, Self

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.expr import Expr, col, lit
from lancedb.index import HnswSq

from processors.embedding import EmbedderProfile
from schemas.errors import ClaimstreamError
from sinks.vector_arrow import COLUMNS, model_of, table_schema, to_arrow, to_row
from sinks.vector_lock import WriterLock
from sinks.vector_rows import (
    BadFilter,
    EmbeddingModelMismatch,
    FilterValue,
    Upserted,
    Vector,
    VectorHit,
    VectorRow,
    VectorStoreDamaged,
    VectorStoreError,
    VectorStoreUnavailable,
    Wanted,
    check_filters,
    check_rows,
    check_vector,
    fold,
)

_KEY = ["tenant", "claim_id"]
_WITHOUT_VECTOR = [name for name in COLUMNS if name != "vector"]
#: How the storage layer words a file that is gone, cut off or not its own.
_DAMAGE = (
    "not found",
    "invalid range",
    "corrupt",
    "no such file",
    "failed to decode",
    "end of file",
    "magic",
)
#: What may pass by itself or by an operator, with the table untouched.
_PASSING = (
    "conflict",
    "timeout",
    "timed out",
    "connect",
    "no space",
    "permission",
    "throttl",
    "busy",
    "retry",
)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """When the table is compacted. Each upsert adds a manifest and a data file, which slow the next one down:
    12 ms at first, 31 ms after a hundred (200 rows each), 17 ms again after compacting, which takes 0.2 s at
    20,000 rows. Compacting rewrites the table, so a large one waits for more upserts (one per 1,000 rows).

    Old versions are kept for ``keep_versions``, because readers of other processes may be in one. From
    ``index_from`` rows on (0: never) an index is built: exact search reads all vectors.
    """

    every_upserts: int = 100
    every_seconds: float = 300.0
    keep_versions: timedelta = timedelta(minutes=10)
    index_from: int = 20_000


class LanceVectors:
    """A VectorStore on LanceDB. Made by ``open``."""

    def __init__(
        self, uri: str, profile: EmbedderProfile, table: str, upkeep: Upkeep, options: dict[str, str] | None
    ) -> None:
        self._folder = None if "://" in uri else Path(uri).expanduser().absolute()
        # A relative folder whose name begins with "db" would be taken for an address of LanceDB Cloud.
        self._uri = uri if self._folder is None else str(self._folder)
        self._profile = profile
        self._name = table
        self._upkeep = upkeep
        self._options = options
        self._schema = table_schema(profile)
        self._lock = WriterLock(self._folder / f".{table}.lock" if self._folder else None)
        self._since = 0
        self._at = 0.0
        self._db: Any = None
        self._table: Any = None

    @classmethod
    async def open(
        cls,
        uri: str,
        profile: EmbedderProfile,
        *,
        table: str = "claims",
        upkeep: Upkeep | None = None,
        rebuild: bool = False,
        storage_options: dict[str, str] | None = None,
    ) -> Self:
        """Opens the table, makes it when there is none. ``uri``: a folder, or what LanceDB takes (s3://...).

        ``rebuild``: an unreadable table, or one of another model or layout, is replaced by an empty one.
        Raises VectorStoreDamaged, EmbeddingModelMismatch, VectorStoreUnavailable.
        """
        self = cls(uri, profile, table, upkeep or Upkeep(), storage_options)
        self._at = asyncio.get_running_loop().time()
        with self._told("open"):
            # Interval 0: every read sees what other processes have written.
            self._db = await lancedb.connect_async(
                self._uri, read_consistency_interval=timedelta(0), storage_options=self._options
            )
        try:
            await self._open_table()
        except (VectorStoreDamaged, EmbeddingModelMismatch):
            if not rebuild:
                raise
            await self.recreate()
        return self

    async def upsert(self, rows: Sequence[VectorRow], *, heal: bool = False) -> Upserted:
        check_rows(rows, self._profile.model_id, self._profile.dimension)
        if not rows:
            return Upserted(0, 0, 0, 0)
        async with self._lock.held():
            with self._told("write to"):
                written = fold(rows, await self._stored(rows), heal)
                newer = "source.version >= target.version" if heal else "source.version > target.version"
                done = await (
                    self._table.merge_insert(_KEY)
                    .when_matched_update_all(where=newer)
                    .when_not_matched_insert_all()
                    # A missing vector counts as bad; bad ones were refused above.
                    .execute(to_arrow(written, self._schema), on_bad_vectors="null")
                )
            self._since += 1
            if await self._due():
                await self._optimize()
        changed = done.num_inserted_rows + done.num_updated_rows
        return Upserted(len(rows), done.num_inserted_rows, done.num_updated_rows, len(rows) - changed)

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
        if limit <= 0:
            return []
        with self._told("search"):
            query = (
                self._table.query()
                .nearest_to(np.asarray(vector, dtype=np.float32))
                .distance_type("cosine")
                .where(_expression(tenant, wanted))
                .select([*_WITHOUT_VECTOR, "_distance"])
                # Read with an index only: its vectors are rounded, so twice as many are looked at exactly.
                .refine_factor(2)
                .limit(limit)
            )
            if wanted.as_of is not None:
                query = query.where(_valid_at(wanted.as_of))
            found = await query.to_list()
        hits = [VectorHit(to_row(item), 1.0 - item["_distance"]) for item in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.row.claim_id))

    async def count(self, tenant: str | None = None, status: str | None = None) -> int:
        terms = [col(n) == lit(v) for n, v in (("tenant", tenant), ("status", status)) if v is not None]
        with self._told("count"):
            if not terms:
                return int(await self._table.count_rows())
            # Its count_rows takes a filter as SQL text only, where a backslash in a tenant's name is an escape.
            found = self._table.query().where(reduce(and_, terms)).select(["version"])
            return int((await found.to_arrow()).num_rows)

    async def rows(self, tenant: str | None = None) -> AsyncIterator[VectorRow]:
        query = self._table.query().select(COLUMNS)
        if tenant is not None:
            query = query.where(col("tenant") == lit(tenant))
        with self._told("read"):
            async for batch in await query.to_batches():
                for item in batch.to_pylist():
                    yield to_row(item)

    async def optimize(self) -> None:
        """Compacts, forgets old versions, builds or extends the index. Called by itself on a schedule."""
        async with self._lock.held():
            await self._optimize()

    async def recreate(self) -> None:
        """An empty table of the current model in place of whatever is there."""
        async with self._lock.held():
            try:
                # A new version of the same table: readers of other processes go on with it.
                await self._create("overwrite")
            except Exception:
                await self._discard()
                with self._told("make"):
                    await self._create("create")
            self._since = 0

    async def close(self) -> None:
        if self._table is not None:
            self._table.close()
        if self._db is not None:
            self._db.close()

    async def _open_table(self) -> None:
        async with self._lock.held():
            with self._told("open"):
                known = await self._names()
            if self._name not in known or self._never_written():
                with self._told("make"):
                    await self._create("create", exist_ok=True)
            else:
                with self._told("open", damage=self._folder is not None):
                    self._table = await self._db.open_table(self._name)
            with self._told("read the layout of"):
                self._check(await self._table.schema())

    async def _names(self) -> list[str]:
        names: list[str] = []
        token: str | None = None
        while True:
            page = await self._db.list_tables(page_token=token)
            names += page.tables
            token = page.page_token
            if not token:
                return names

    def _never_written(self) -> bool:
        """True when a process died while it made the table: a folder, and no data in it that could be lost."""
        folder = self._folder and self._folder / f"{self._name}.lance"
        return bool(
            folder
            and folder.is_dir()
            and not any(folder.glob("_versions/*"))
            and not any(folder.glob("data/*"))
        )

    def _check(self, found: pa.Schema) -> None:
        model = model_of(found)
        if model != self._profile.model_id:
            raise EmbeddingModelMismatch(
                f"the vector table {self._name!r} holds vectors of {model!r}, this program embeds with "
                f"{self._profile.model_id!r}: use that embedder, or rebuild the table from the ledger"
            )
        if not found.remove_metadata().equals(self._schema.remove_metadata()):
            raise VectorStoreDamaged(
                f"the vector table {self._name!r} has the layout of another version of this program; "
                "nothing is lost: rebuild it from the ledger"
            )

    async def _create(self, mode: str, exist_ok: bool = False) -> None:
        self._table = await self._db.create_table(
            self._name, schema=self._schema, mode=mode, exist_ok=exist_ok or None
        )

    async def _discard(self) -> None:
        try:
            await self._db.drop_table(self._name)
        except Exception:
            if self._folder is None:
                raise
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder / f"{self._name}.lance", ignore_errors=True)

    async def _stored(self, rows: Sequence[VectorRow]) -> dict[tuple[str, str], VectorRow]:
        """The stored rows of the claims that are sent without a vector, because it is unchanged."""
        wanted: dict[str, list[str]] = {}
        for row in rows:
            if row.vector is None and row.status != "erased":
                wanted.setdefault(row.tenant, []).append(row.claim_id)
        found = [
            to_row(item)
            for tenant, ids in wanted.items()
            for item in await self._table.query()
            .where((col("tenant") == lit(tenant)) & col("claim_id").isin(ids))
            .select(COLUMNS)
            .to_list()
        ]
        return {row.key: row for row in found}

    async def _due(self) -> bool:
        if asyncio.get_running_loop().time() - self._at >= self._upkeep.every_seconds:
            return True
        if self._since < self._upkeep.every_upserts:
            return False
        return self._since >= await self.count() // 1000

    async def _optimize(self) -> None:
        with self._told("compact"):
            await self._table.optimize(cleanup_older_than=self._upkeep.keep_versions)
            if self._upkeep.index_from and not await self._table.list_indices():
                if await self._table.count_rows() >= self._upkeep.index_from:
                    await self._table.create_index("vector", config=HnswSq(distance_type="cosine"))
        self._since = 0
        self._at = asyncio.get_running_loop().time()

    @contextmanager
    def _told(self, doing: str, damage: bool = False) -> Iterator[None]:
        """Turns what LanceDB raises into an error that says what to do. ``damage``: nothing else explains it."""
        try:
            yield
        except ClaimstreamError:
            raise
        except Exception as error:
            said = " ".join(str(error).split())[:300]
            low = said.lower()
            where = f"cannot {doing} the vector table {self._name!r} at {self._uri}: {said}"
            if any(word in low for word in _PASSING):
                raise VectorStoreUnavailable(
                    f"{where}; check the store's disk, rights and network"
                ) from error
            if damage or any(word in low for word in _DAMAGE):
                raise VectorStoreDamaged(
                    f"{where}; nothing is lost: the ledger has every claim, rebuild the table from it"
                ) from error
            if self._folder is None:
                raise VectorStoreUnavailable(f"{where}; check address, rights and network") from error
            raise VectorStoreError(where) from error


def _expression(tenant: str, wanted: Wanted) -> Expr:
    # Expressions, not SQL text: no value can end a quotation.
    terms = [col("tenant") == lit(tenant)]
    terms += [col(name).isin(list(texts)) for name, texts in wanted.columns]
    return reduce(and_, terms)


def _valid_at(moment: datetime) -> str:
    # As text, because expressions have no IS NULL; the value is a datetime, formatted here.
    at = f"timestamp '{moment.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%S.%fZ')}'"
    return f"(valid_from IS NULL OR valid_from <= {at}) AND (valid_to IS NULL OR valid_to > {at})"
