"""What only LanceDB can do wrong: files, processes, models, upkeep."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from inference.profiles import MINILM_INT8, STUB
from sinks.vector_lock import WriterLock
from sinks.vector_rows import (
    EmbeddingModelMismatch,
    VectorRow,
    VectorStoreDamaged,
    VectorStoreError,
    VectorStoreUnavailable,
)
from sinks.vectors import LanceVectors, Upkeep

ROOT = Path(__file__).parents[2]


def vectors(count: int, seed: int = 7) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(count, MINILM_INT8.dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def rows(count: int, version: int = 1, start: int = 0, tenant: str = "acme") -> list[VectorRow]:
    return [
        VectorRow(
            tenant=tenant,
            claim_id=f"c{start + i}",
            entity=f"user:u{i % 7}",
            predicate="user.note",
            scope="",
            status="active",
            version=version,
            embedding_model=MINILM_INT8.model_id,
            text=f"note {start + i}",
            vector=vector,
        )
        for i, vector in enumerate(vectors(count, 7 + start))
    ]


async def reopened(folder: Path, **options: bool) -> LanceVectors:
    return await LanceVectors.open(str(folder), MINILM_INT8, **options)


async def test_it_is_there_after_reopening(tmp_path: Path) -> None:
    store = await reopened(tmp_path)
    await store.upsert(rows(3))
    await store.close()
    assert await (await reopened(tmp_path)).count() == 3


async def test_a_folder_named_like_a_cloud_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = await LanceVectors.open("db-of-vectors", MINILM_INT8)
    await store.upsert(rows(1))
    assert (tmp_path / "db-of-vectors" / "claims.lance").is_dir()


async def test_another_model_is_refused_and_a_rebuild_takes_it(tmp_path: Path) -> None:
    await (await reopened(tmp_path)).upsert(rows(3))
    with pytest.raises(EmbeddingModelMismatch, match=r"all-MiniLM-L6-v2-int8.*'stub'.*rebuild"):
        await LanceVectors.open(str(tmp_path), STUB)
    # Refusing changed nothing.
    assert await (await reopened(tmp_path)).count() == 3
    other = await LanceVectors.open(str(tmp_path), STUB, rebuild=True)
    assert await other.count() == 0
    await other.upsert([replace(rows(1)[0], embedding_model="stub")])
    with pytest.raises(EmbeddingModelMismatch):
        await reopened(tmp_path)


async def test_a_table_of_another_layout_is_refused(tmp_path: Path) -> None:
    import lancedb
    import pyarrow as pa

    db = await lancedb.connect_async(tmp_path)
    model = {"embedding_model": MINILM_INT8.model_id}
    await db.create_table("claims", schema=pa.schema([("id", pa.string())], metadata=model))
    with pytest.raises(VectorStoreDamaged, match="layout"):
        await reopened(tmp_path)
    assert await (await reopened(tmp_path, rebuild=True)).count() == 0


def newest_manifest(folder: Path) -> Path:
    # Lance numbers manifests downward from 2^64, so that the newest sorts first.
    return min((folder / "claims.lance" / "_versions").glob("*.manifest"))


def zero(folder: Path) -> None:
    newest_manifest(folder).write_bytes(b"")


def garble(folder: Path) -> None:
    newest_manifest(folder).write_bytes(os.urandom(200))


def lose_manifests(folder: Path) -> None:
    for path in (folder / "claims.lance" / "_versions").iterdir():
        path.unlink()


@pytest.mark.parametrize("damage", [zero, garble, lose_manifests])
async def test_an_unreadable_table_is_refused_and_can_be_rebuilt(tmp_path: Path, damage: object) -> None:
    store = await reopened(tmp_path)
    for start in (0, 10, 20):
        await store.upsert(rows(5, start=start))
    await store.close()
    damage(tmp_path)  # type: ignore[operator]
    with pytest.raises(VectorStoreDamaged, match="rebuild the table"):
        await reopened(tmp_path)
    again = await reopened(tmp_path, rebuild=True)
    assert await again.count() == 0
    await again.upsert(rows(4))
    assert len(await again.search(vectors(1)[0], "acme")) == 4
    assert await (await reopened(tmp_path)).count() == 4


async def test_lost_data_files_are_told(tmp_path: Path) -> None:
    await (await reopened(tmp_path)).upsert(rows(5))
    for path in (tmp_path / "claims.lance" / "data").iterdir():
        path.unlink()
    store = await reopened(tmp_path)
    with pytest.raises(VectorStoreDamaged, match="ledger"):
        await store.search(vectors(1)[0], "acme")
    await store.recreate()
    await store.upsert(rows(2))
    assert await store.count() == 2


async def test_a_process_that_died_while_making_the_table_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "claims.lance" / "data").mkdir(parents=True)
    store = await reopened(tmp_path)
    await store.upsert(rows(1))
    assert await store.count() == 1


async def test_a_store_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises((VectorStoreUnavailable, VectorStoreError, VectorStoreDamaged)) as caught:
        await reopened(tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


async def test_two_writers_of_the_same_new_claims_make_no_doubles(tmp_path: Path) -> None:
    stores = [await reopened(tmp_path) for _ in range(4)]
    for start in range(0, 200, 20):
        await asyncio.gather(*(store.upsert(rows(20, start=start)) for store in stores))
    kept = [row.claim_id async for row in stores[0].rows()]
    assert len(kept) == len(set(kept)) == 200
    # Each sees what the others wrote.
    assert [await store.count() for store in stores] == [200] * 4


WRITER = """
import asyncio, sys
from tests.integration.test_vectors_lance import reopened, rows
from pathlib import Path

async def main():
    store = await reopened(Path(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    for start in range(0, 200, 20):
        await store.upsert(rows(20, version=int(sys.argv[2]), start=start))

asyncio.run(main())
"""


async def test_two_processes_make_no_doubles_and_the_newer_version_stays(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), version],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for version in ("1", "2")
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    for writer in writers:
        assert writer.stdin is not None and writer.stdout is not None
        writer.stdin.close()
        writer.stdout.close()
    kept = [(row.claim_id, row.version) async for row in (await reopened(tmp_path)).rows()]
    assert sorted(kept) == sorted((f"c{i}", 2) for i in range(200))


async def test_a_writer_that_keeps_the_lock_is_told(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    async with WriterLock(path).held():
        with pytest.raises(VectorStoreUnavailable, match="another process"):
            async with WriterLock(path, patience=0.0).held():
                pass
    async with WriterLock(path, patience=0.0).held():
        pass


def files(folder: Path) -> int:
    return sum(1 for _ in (folder / "claims.lance" / "data").iterdir())


@pytest.mark.filterwarnings("ignore:optimize.cleanup_older_than=0")
async def test_upkeep_comes_by_itself(tmp_path: Path) -> None:
    upkeep = Upkeep(every_upserts=10, keep_versions=timedelta(microseconds=1), index_from=0)
    store = await LanceVectors.open(str(tmp_path), MINILM_INT8, upkeep=upkeep)
    for start in range(9):
        await store.upsert(rows(1, start=start))
    assert files(tmp_path) == 9
    await store.upsert(rows(1, start=9))
    assert files(tmp_path) == 1
    assert await store.count() == 10


async def test_with_an_index_the_answers_stay(tmp_path: Path) -> None:
    upkeep = Upkeep(every_upserts=10_000, index_from=1_000)
    store = await LanceVectors.open(str(tmp_path), MINILM_INT8, upkeep=upkeep)
    await store.upsert([*rows(1_000), *rows(200, start=5_000, tenant="o'other")])
    # A row without a vector must not trouble the index.
    await store.upsert([replace(rows(1, start=9_000)[0], vector=None)])
    await store.optimize()
    assert await store._table.list_indices()
    await store.upsert(rows(50, start=2_000))  # not in the index yet
    for claim, start in (("c17", 0), ("c2003", 2_000)):
        place = int(claim[1:]) - start
        (first, *rest) = await store.search(vectors(place + 1, 7 + start)[place], "acme", 20)
        assert first.row.claim_id == claim
        assert first.score == pytest.approx(1.0, abs=1e-4)
        assert len(rest) == 19
    hits = await store.search(vectors(1)[0], "o'other", 300)
    assert len(hits) == 200 and {hit.row.tenant for hit in hits} == {"o'other"}


async def test_a_large_table_waits_longer_for_its_upkeep(tmp_path: Path) -> None:
    # Compacting rewrites the table: 3,000 rows must not be rewritten after every upsert.
    upkeep = Upkeep(every_upserts=1, keep_versions=timedelta(days=1), index_from=0)
    store = await LanceVectors.open(str(tmp_path), MINILM_INT8, upkeep=upkeep)
    await store.upsert(rows(3_000))
    seen = []
    for start in (4_000, 5_000):
        await store.upsert(rows(1, start=start))
        seen.append(files(tmp_path))
    assert seen == [2, 4]  # two upserts; then a third and the compacted one
