"""What every vector store must do, run against each of them."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inference.profiles import MINILM_INT8
from sinks.memory_vectors import MemoryVectors
from sinks.vector_rows import (
    BadFilter,
    BadVectorRow,
    EmbeddingModelMismatch,
    Upserted,
    VectorRow,
    VectorStore,
    text_hash,
)
from sinks.vectors import LanceVectors

DIMENSION = MINILM_INT8.dimension
ODD_TENANTS = [
    "acme",
    "ac'me",
    "ac''me",
    "x' OR '1'='1",
    "x'; DROP TABLE claims; --",
    "back\\slash",
    "back\\'slash",
    'dou"ble',
    "per%cent_",
    "日本 🦆",
    "e\u0301",
    "\u00e9",
    "line\nbreak",
    "UPPER",
    "upper",
    " acme",
]


@pytest.fixture(params=["lancedb", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[VectorStore]:
    made: VectorStore
    if request.param == "lancedb":
        made = await LanceVectors.open(str(tmp_path / "vectors"), MINILM_INT8)
    else:
        made = MemoryVectors(MINILM_INT8)
    yield made
    await made.close()


def axis(place: int, lean: float = 0.0) -> np.ndarray:
    """A unit vector along one axis; ``lean`` turns it toward the next one."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[place], vector[(place + 1) % DIMENSION] = np.cos(lean), np.sin(lean)
    return vector


def row(claim: str, version: int = 1, **changes: Any) -> VectorRow:
    made = VectorRow(
        tenant="acme",
        claim_id=claim,
        entity="user:u1",
        predicate="user.timezone",
        scope="",
        status="active",
        version=version,
        embedding_model=MINILM_INT8.model_id,
        text=f"text of {claim}",
        vector=axis(0),
        updated_at=datetime(2024, 5, 1, 12, 0, 0, 123456, tzinfo=UTC),
    )
    return replace(made, **changes)


async def found(store: VectorStore, tenant: str = "acme", vector: Any = None, **filters: Any) -> list[str]:
    hits = await store.search(axis(0) if vector is None else vector, tenant, 50, filters)
    return [hit.row.claim_id for hit in hits]


async def stored(store: VectorStore, tenant: str | None = None) -> dict[str, VectorRow]:
    rows = [r async for r in store.rows(tenant)]
    kept = {r.claim_id: r for r in rows}
    assert len(rows) == len({r.key for r in rows})
    return kept


async def test_what_goes_in_comes_out(store: VectorStore) -> None:
    sent = row(
        "c1",
        7,
        text="Müller ist in 東京 🗼",
        scope="org:harbor",
        kind="episodic",
        valid_from=datetime(2023, 1, 1, tzinfo=UTC),
        valid_to=datetime(2030, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    )
    assert await store.upsert([sent]) == Upserted(1, 1, 0, 0)
    (hit,) = await store.search(axis(0, 0.5), "acme")
    assert hit.score == pytest.approx(np.cos(0.5), abs=1e-5)
    assert hit.row.vector is None
    back = (await stored(store))["c1"]
    assert back.vector is not None and np.array_equal(back.vector, axis(0))
    for name in VectorRow.__dataclass_fields__:
        if name not in ("vector", "text_hash"):
            assert getattr(back, name) == getattr(sent, name) == getattr(hit.row, name), name
    assert back.text_hash == text_hash(sent.text)


async def test_order_limit_and_ties(store: VectorStore) -> None:
    angles = {"far": 1.2, "near": 0.1, "mid": 0.6, "tie-b": 0.8, "tie-a": 0.8}
    await store.upsert([row(name, vector=axis(0, angle)) for name, angle in angles.items()])
    assert await found(store) == ["near", "mid", "tie-a", "tie-b", "far"]
    assert [h.row.claim_id for h in await store.search(axis(0), "acme", 2)] == ["near", "mid"]
    assert await store.search(axis(0), "acme", 0) == []


async def test_length_of_the_query_does_not_matter(store: VectorStore) -> None:
    await store.upsert([row("c1", vector=axis(0, 0.5))])
    (long,) = await store.search(axis(0) * np.float32(7.0), "acme")
    assert long.score == pytest.approx(np.cos(0.5), abs=1e-5)


async def test_an_empty_store_answers(store: VectorStore) -> None:
    assert await found(store) == []
    assert await store.count() == 0
    assert await store.upsert([]) == Upserted(0, 0, 0, 0)


async def test_tenants_do_not_see_each_other(store: VectorStore) -> None:
    await store.upsert([row(f"c{i}", tenant=name) for i, name in enumerate(ODD_TENANTS)])
    for i, name in enumerate(ODD_TENANTS):
        assert await found(store, name) == [f"c{i}"], name
        assert await store.count(name) == 1, name
        assert [r.claim_id async for r in store.rows(name)] == [f"c{i}"], name
    assert await found(store, "nobody") == []
    assert await store.count() == len(ODD_TENANTS)


async def test_one_claim_id_in_two_tenants_is_two_claims(store: VectorStore) -> None:
    await store.upsert([row("same", 1)])
    await store.upsert([row("same", 2, tenant="ac'me", text="theirs")])
    await store.upsert([row("same", 5, text="ours")])
    assert [h.row.text for h in await store.search(axis(0), "acme")] == ["ours"]
    assert [h.row.text for h in await store.search(axis(0), "ac'me")] == ["theirs"]


async def test_a_search_needs_a_tenant(store: VectorStore) -> None:
    with pytest.raises(BadFilter, match="tenant"):
        await store.search(axis(0), "")


async def test_an_older_or_equal_version_loses(store: VectorStore) -> None:
    await store.upsert([row("c1", 5, text="five")])
    assert await store.upsert([row("c1", 4, text="four")]) == Upserted(1, 0, 0, 1)
    assert await store.upsert([row("c1", 5, text="again")]) == Upserted(1, 0, 0, 1)
    assert (await stored(store))["c1"].text == "five"
    assert await store.upsert([row("c1", 6, text="six")]) == Upserted(1, 0, 1, 0)
    assert (await stored(store))["c1"].text == "six"


async def test_one_claim_twice_in_a_batch(store: VectorStore) -> None:
    done = await store.upsert(
        [row("c1", 3, text="three"), row("c1", 8, text="eight"), row("c1", 5, text="five")]
    )
    assert done == Upserted(3, 1, 0, 2)
    assert [r.text for r in (await stored(store)).values()] == ["eight"]
    # Also when the batch meets a stored row in between.
    await store.upsert([row("c1", 7), row("c1", 9, text="nine"), row("c1", 1)])
    assert [(r.text, r.version) for r in (await stored(store)).values()] == [("nine", 9)]


async def test_only_active_claims_are_served(store: VectorStore) -> None:
    statuses = [
        "active",
        "superseded",
        "ended",
        "scheduled",
        "disputed",
        "candidate",
        "rejected",
        "retracted",
    ]
    await store.upsert([row(s, status=s) for s in statuses])
    assert await found(store) == ["active"]
    assert await found(store, status=["disputed", "candidate"]) == ["candidate", "disputed"]
    assert await store.count("acme") == 8
    assert await store.count("acme", "active") == 1


async def test_a_claim_that_left_does_not_come_back(store: VectorStore) -> None:
    await store.upsert([row("c1", 1)])
    await store.upsert([row("c1", 2, status="superseded", vector=None, text="")])
    assert await found(store) == []
    await store.upsert([row("c1", 1)])  # delivered again
    assert await found(store) == []


@pytest.mark.parametrize("together", [True, False])
async def test_a_change_without_vector_keeps_text_and_vector(store: VectorStore, together: bool) -> None:
    first = row("c1", 1, vector=axis(3), text="kept")
    then = row("c1", 2, status="disputed", vector=None, text="", embedding_model="")
    for batch in [[first, then]] if together else [[first], [then]]:
        await store.upsert(batch)
    back = (await stored(store))["c1"]
    assert (back.status, back.version, back.text, back.text_hash) == (
        "disputed",
        2,
        "kept",
        text_hash("kept"),
    )
    assert back.embedding_model == MINILM_INT8.model_id
    assert back.vector is not None and np.array_equal(back.vector, axis(3))
    await store.upsert([row("c1", 3, vector=None, text="")])
    assert await found(store, vector=axis(3)) == ["c1"]


async def test_a_claim_never_seen_with_a_vector_is_kept_but_not_found(store: VectorStore) -> None:
    await store.upsert([row("c1", 2, vector=None), row("c2")])
    assert await found(store) == ["c2"]
    assert await store.count() == 2
    # Repair sends the same version with the vector that was missing.
    assert await store.upsert([row("c1", 2)]) == Upserted(1, 0, 0, 1)
    assert await store.upsert([row("c1", 2)], heal=True) == Upserted(1, 0, 1, 0)
    assert await found(store) == ["c1", "c2"]
    assert await store.upsert([row("c1", 1, text="old")], heal=True) == Upserted(1, 0, 0, 1)


async def test_erasing_takes_text_and_vector(store: VectorStore) -> None:
    await store.upsert([row("c1", 1, text="secret")])
    await store.upsert([row("c1", 2, status="erased", text="secret")])
    back = (await stored(store))["c1"]
    assert (back.text, back.text_hash, back.vector) == ("", "", None)
    assert await found(store, status="erased") == []
    # What comes after does not inherit what was destroyed.
    await store.upsert([row("c1", 3, status="ended", vector=None, text="")])
    assert (await stored(store))["c1"].vector is None


async def test_filters(store: VectorStore) -> None:
    await store.upsert(
        [
            row("c1", entity="user:u1"),
            row("c2", entity="user:o'brien", predicate="user.diet"),
            row("c3", entity="user:o'brien", scope="org:x", kind="episodic"),
        ]
    )
    assert await found(store, entity="user:o'brien") == ["c2", "c3"]
    assert await found(store, entity=("user:o'brien", "user:u1"), predicate="user.timezone") == ["c1", "c3"]
    assert await found(store, scope="") == ["c1", "c2"]
    assert await found(store, kind="episodic") == ["c3"]
    assert await found(store, claim_id=["c1", "c9"]) == ["c1"]
    assert await found(store, entity="user:o") == []
    assert await found(store, entity="x' OR 'a'='a") == []


async def test_valid_time(store: VectorStore) -> None:
    noon = datetime(2024, 6, 1, 12, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    await store.upsert(
        [
            row("always"),
            row("from", valid_from=noon),
            row("to", valid_to=noon),
            row("both", valid_from=noon - tick, valid_to=noon + tick),
        ]
    )
    assert await found(store, as_of=noon) == ["always", "both", "from"]
    assert await found(store, as_of=noon - tick) == ["always", "both", "to"]
    assert await found(store, as_of=noon - 2 * tick) == ["always", "to"]
    in_another_zone = noon.astimezone(timezone(timedelta(hours=-7)))
    assert await found(store, as_of=in_another_zone) == ["always", "both", "from"]


@pytest.mark.parametrize(
    "filters",
    [
        {"entitty": "user:u1"},
        {"tenant": "other"},
        {"version": "1"},
        {"entity": []},
        {"entity": 5},
        {"entity": ["a", 5]},
        {"status": None},
        {"as_of": "2024-01-01"},
        {"as_of": datetime(2024, 1, 1)},
    ],
)
async def test_bad_filters_are_refused(store: VectorStore, filters: dict[str, Any]) -> None:
    with pytest.raises(BadFilter):
        await store.search(axis(0), "acme", 5, filters)


async def test_another_model_is_refused(store: VectorStore) -> None:
    with pytest.raises(EmbeddingModelMismatch, match=r"another-model.*all-MiniLM-L6-v2-int8"):
        await store.upsert([row("c1"), row("c2", embedding_model="another-model")])
    assert await store.count() == 0


@pytest.mark.parametrize("vector", [np.zeros(DIMENSION), np.ones(3), np.full(DIMENSION, np.nan)])
async def test_bad_vectors_are_refused(store: VectorStore, vector: np.ndarray) -> None:
    with pytest.raises(BadVectorRow):
        await store.upsert([row("c1", vector=vector.astype(np.float32))])
    with pytest.raises(BadVectorRow):
        await store.search(vector.astype(np.float32), "acme")
    assert await store.count() == 0


async def test_any_order_and_repetition_give_the_same(store: VectorStore) -> None:
    rng = random.Random(7)
    events = [row(f"c{i % 5}", v, text=f"{i % 5} at {v}") for i in range(5) for v in range(1, 9)]
    sent = events + rng.choices(events, k=40)
    rng.shuffle(sent)
    while sent:
        size = rng.randint(1, 9)
        await store.upsert(sent[:size])
        sent = sent[size:]
    assert {c: r.text for c, r in (await stored(store)).items()} == {f"c{i}": f"{i} at 8" for i in range(5)}


async def test_upkeep_changes_no_answer(store: VectorStore) -> None:
    for i in range(6):
        await store.upsert([row(f"c{i}", vector=axis(0, i / 10)), row("last", i + 1, text=str(i))])
    before = await found(store)
    await store.optimize()
    assert await found(store) == before
    assert (await stored(store))["last"].text == "5"


async def test_recreate_empties(store: VectorStore) -> None:
    await store.upsert([row("c1")])
    await store.recreate()
    assert await store.count() == 0
    # Also versions are forgotten: the ledger is projected from the start.
    await store.upsert([row("c1", 1)])
    assert await found(store) == ["c1"]
