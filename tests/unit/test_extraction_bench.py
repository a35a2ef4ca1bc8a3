"""The bench's own arithmetic, and the labels: a measure that cannot fail measures nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bench.extract import LABELS, Score, _count, fits, lumps, wilson
from bench.extract_pool import chat_pool, digest, persona_pool, sample
from schemas.facts import Fact, Mention

SELF = Mention(text="speaker", type="user", entity="user:speaker")
DATA = Path(os.environ.get("CLAIMSTREAM_DATA", Path(__file__).parents[3] / "shared" / "data"))
FAMILIES: dict[str, list[str]] = json.loads((LABELS / "families.json").read_text("utf-8"))


def label(**more: Any) -> dict[str, Any]:
    return {
        "subject": ["self"],
        "predicate": ["LIKE"],
        "value": ["tea"],
        "polarity": "+",
        "ended": False,
    } | more


def fact(**more: Any) -> Fact:
    return Fact.model_validate({"subject": SELF, "predicate": "likes", "value": "green teas"} | more)


def test_a_fact_fits_its_label() -> None:
    assert fits(fact(), label(), FAMILIES)


@pytest.mark.parametrize(
    "wrong",
    [
        {"polarity": "-"},
        {"ended": True},
        {"value": "coffee"},
        {"predicate": "employer"},
        {"subject": Mention(text="speaker's mother")},
    ],
)
def test_a_fact_that_differs_in_one_thing_does_not(wrong: dict[str, Any]) -> None:
    assert not fits(fact(**wrong), label(), FAMILIES)


def test_two_labelled_values_in_one_fact_are_wrong() -> None:
    labels = [label(), label(value=["coffee"])]
    assert lumps(fact(value="tea and coffee"), labels)
    assert not lumps(fact(value="green tea"), labels)


def test_counts_of_a_row() -> None:
    score = Score()
    row = {"index": 3, "facts": [label(), label(value=["rain"]), label(value=["snow"], optional=True)]}
    facts = [
        fact(),
        fact(value="snow"),
        fact(value="cars"),
        fact(value="rain", basis="inferred", confidence=0.3),
    ]
    _count(row, facts, FAMILIES, score)
    assert (score.predicted, score.correct, score.required, score.found, score.inferred) == (3, 2, 2, 1, 1)
    assert score.missed == ["3"] and len(score.wrong) == 1


def test_the_wilson_interval_of_known_values() -> None:
    low, high = wilson(90, 100)
    assert (round(low, 4), round(high, 4)) == (0.8256, 0.9448)


@pytest.mark.parametrize("name", ["persona", "chat"])
def test_labels_are_whole_and_hold_no_sentence(name: str) -> None:
    lines = (LABELS / f"{name}.jsonl").read_text("utf-8").splitlines()
    labels = [json.loads(line) for line in lines]
    assert [row["index"] for row in labels] == list(range(200))
    for row in labels:
        assert set(row) == {"index", "sha256", "facts"}
        for item in row["facts"]:
            assert set(item["predicate"]) <= set(FAMILIES) | {"drives", "any"}
            assert all(len(value.split()) <= 3 for value in item["value"])


@pytest.mark.parametrize(("name", "file"), [("persona", "msc_personas.json"), ("chat", "locomo10.json")])
def test_labels_belong_to_the_drawn_sentences(name: str, file: str) -> None:
    if not (DATA / file).is_file():
        pytest.skip(f"{file} is not in {DATA}; set CLAIMSTREAM_DATA to the folder with the public data sets")
    pool = (persona_pool if name == "persona" else chat_pool)(DATA)
    drawn = [digest(text) for text in sample(pool)]
    rows = [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert [row["sha256"] for row in rows] == drawn
    assert not set(drawn) & {digest(text) for text in sample(pool, seed=1, n=2000)}
