"""Calls made at the same time share a run of the model and a write of the index; each gets its own answer or error."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pytest

from inference.shared import SharedEmbedder
from inference.stub import StubEmbedder
from processors.vectors import encode
from schemas.claims import ClaimChanged, ClaimContent
from schemas.errors import TransientError
from schemas.values import TypedValue
from sinks.memory_vectors import MemoryVectors
from sinks.vector_rows import Upserted, VectorRow
from streams.stage import InRecord
from streams.stages.project import Project


class Counting(StubEmbedder):
    """The stub, slow enough for others to come, remembering its runs."""

    def __init__(self) -> None:
        self.runs: list[int] = []
        self.fail = False

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.runs.append(len(texts))
        await asyncio.sleep(0.01)
        if self.fail:
            raise TransientError("away")
        return await super().embed(texts)


async def test_calls_share_runs_and_get_their_own_rows() -> None:
    inner = Counting()
    shared = SharedEmbedder(inner, run_texts=8)
    texts = [[f"text {call} {n}" for n in range(3)] for call in range(6)]
    answers = await asyncio.gather(*(shared.embed(each) for each in texts))
    assert inner.runs == [6, 6, 6]
    for each, answer in zip(texts, answers, strict=True):
        np.testing.assert_array_equal(answer, await StubEmbedder().embed(each))


async def test_a_call_over_the_size_of_a_run_is_one_run() -> None:
    inner = Counting()
    rows = await SharedEmbedder(inner, run_texts=2).embed(["a", "b", "c"])
    assert (rows.shape, inner.runs) == ((3, 384), [3])


async def test_an_error_is_every_callers_and_the_next_call_tries_again() -> None:
    inner = Counting()
    shared = SharedEmbedder(inner)
    inner.fail = True
    answers = await asyncio.gather(shared.embed(["a"]), shared.embed(["b"]), return_exceptions=True)
    assert [type(answer) for answer in answers] == [TransientError, TransientError]
    inner.fail = False
    assert (await shared.embed(["a"])).shape == (1, 384)


async def test_a_caller_that_left_takes_nothing_from_the_others() -> None:
    shared = SharedEmbedder(Counting())
    leaving = asyncio.create_task(shared.embed(["a"]))
    staying = asyncio.create_task(shared.embed(["b"]))
    await asyncio.sleep(0)
    leaving.cancel()
    np.testing.assert_array_equal(await staying, await StubEmbedder().embed(["b"]))


class Index(MemoryVectors):
    """Remembers its writes; fails when told to."""

    def __init__(self) -> None:
        super().__init__(StubEmbedder.profile)
        self.writes: list[int] = []
        self.fail = False

    async def upsert(self, rows: Sequence[VectorRow], *, heal: bool = False) -> Upserted:
        self.writes.append(len(rows))
        await asyncio.sleep(0.01)
        if self.fail:
            raise TransientError("away")
        return await super().upsert(rows, heal=heal)


def claim(partition: int, number: int) -> InRecord:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    event = ClaimChanged(
        tenant="acme",
        entity=f"user:u{partition}",
        entity_version=number,
        claim_id=UUID(int=partition * 100 + number),
        predicate="likes",
        slot_version=1,
        change="added",
        status="active",
        confidence=0.9,
        valid_from=moment,
        last_confirmed=moment,
        decided_by=UUID(int=1),
        case="j",
        embedding_model="stub",
        content=ClaimContent(
            value=TypedValue(type="text", text="x", key="text:x"),
            vector=encode(np.eye(1, 384, dtype=np.float32)[0]),
        ),
    )
    return InRecord("memory.claims.v1", partition, number, b"k", event.to_json())


async def test_partitions_share_writes_of_the_index() -> None:
    index = Index()
    project = Project(index, "stub")
    await asyncio.gather(*(project.prepare([claim(p, n) for n in range(1, 4)]) for p in range(8)))
    assert sum(index.writes) == 24 == await index.count("acme")
    assert len(index.writes) <= 2


async def test_a_write_that_failed_is_every_partitions_failure() -> None:
    index = Index()
    project = Project(index, "stub")
    index.fail = True
    answers = await asyncio.gather(
        *(project.prepare([claim(p, 1)]) for p in range(3)), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [TransientError] * 3
    index.fail = False
    await project.prepare([claim(0, 1)])
    assert await index.count("acme") == 1


@pytest.mark.parametrize("value", [b"no json", None])
async def test_what_cannot_be_read_is_not_written(value: bytes | None) -> None:
    index = Index()
    await Project(index, "stub").prepare([InRecord("memory.claims.v1", 0, 0, b"k", value)])
    assert index.writes == []
