"""Ranking and fixing: the right label meets its predicate, a variant of it does not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.embedding import EmbedderProfile
from processors.predicates import MAX_CANDIDATES, Fixed, fix, rank
from processors.registry import shipped
from schemas.facts import Mention
from schemas.inbox import Candidate
from schemas.values import TypedValue

AT = datetime(2026, 3, 4, tzinfo=UTC)
BANDS = EmbedderProfile(model_id="m", dimension=1, band_high=0.45, band_low=0.30, margin=0.05, floor=0.2)


def ranked(label: str, value: str = "EST", **similar: float) -> tuple[Candidate, ...]:
    return rank(label, "user", value, registry=shipped(), at=AT, bands=BANDS, similar=similar)


def fixed(label: str, value: str = "EST", **similar: float) -> Fixed:
    return fix(ranked(label, value, **similar), None, shipped(), {})


def test_a_name_or_synonym_is_certain_and_stands_alone() -> None:
    (only,) = ranked("user.tz", "Pacific time", employer=0.9)
    assert (only.predicate, only.match, only.value.key) == (
        "timezone",
        "synonym",
        "timezone:America/Los_Angeles",
    )
    assert fix([only], "many", shipped(), {}).cardinality == "one"


@pytest.mark.parametrize(
    ("label", "cosine"),
    [
        ("current_zone", 0.43),
        ("user_tz", 0.34),
        ("time_zone_name", 0.71),
        ("local_time_zone", 0.71),
        ("clock", 0.51),
    ],
)
def test_another_word_for_the_time_zone_is_aligned_weakly(label: str, cosine: float) -> None:
    got = fixed(label, timezone=cosine, address=0.27)
    assert (got.predicate, got.match, got.cardinality) == ("timezone", "weak", "one")


@pytest.mark.parametrize(
    "label", ["office_timezone", "hq_tz", "time_at_work", "former_timezone", "previous_tz"]
)
def test_a_variant_stays_apart_however_near_and_whatever_its_type(label: str) -> None:
    got = fixed(label, timezone=0.95, employer=0.5)
    assert (got.predicate, got.match, got.alternatives) == (label, "new", ())


def test_a_label_nearest_to_what_it_varies_is_not_given_to_the_next() -> None:
    assert fixed("work_email", "a@b.co", email=0.63, employer=0.47).predicate == "work_email"
    assert fixed("food_love", "pizza", eats=0.54, eats_only=0.48).predicate == "food_love"


def test_a_relation_told_from_the_other_side_is_not_aligned() -> None:
    assert fixed("guardian_of", "Sam", parent=0.9).predicate == "guardian_of"


def test_a_value_that_is_not_of_the_type_is_not_aligned() -> None:
    assert fixed("clock", "oak", timezone=0.9).match == "new"


def test_without_a_lead_over_the_second_the_label_is_new() -> None:
    assert fixed("sweetheart", "Sam", partner=0.60, spouse=0.57).match == "new"
    got = fixed("sweetheart", "Sam", partner=0.60, spouse=0.50)
    assert (got.predicate, got.alternatives) == ("partner", ("spouse",))


def test_below_the_band_the_label_is_new() -> None:
    assert fixed("clock", timezone=0.44).match == "new"
    assert fixed("zone", timezone=0.29).match == "new"
    assert fixed("zone", timezone=0.30).match == "weak"


def test_a_predicate_for_other_subjects_is_no_candidate() -> None:
    assert [one.predicate for one in ranked("whereabouts", "Berlin", located_in=0.9)] == ["whereabouts"]


def test_a_label_the_entity_has_already_is_certain() -> None:
    candidates = ranked("clock", timezone=0.9)
    got = fix(candidates, "many", shipped(), {"clock": "one"})
    assert (got.predicate, got.match, got.cardinality) == ("clock", "exact", "one")


def test_cardinality_of_a_new_label_is_the_hint() -> None:
    candidates = ranked("shoe_size", "42")
    assert fix(candidates, "one", shipped(), {}).cardinality == "one"
    assert fix(candidates, None, shipped(), {}).cardinality == "many"
    assert fix(ranked("tz"), "many", shipped(), {}).cardinality == "one"


def test_a_new_label_is_typed_by_its_last_words_or_its_entity() -> None:
    assert ranked("office_timezone", "Eastern")[-1].value.key == "timezone:America/New_York"
    assert ranked("shoe_size", "42")[-1].value.key == "text:42"
    mention = Mention(text="Sam", type="person")
    (new,) = rank(
        "mentor", "user", "Sam", registry=shipped(), at=AT, bands=BANDS, similar={}, mention=mention
    )
    assert new.value.key == "entity:person:sam"


def test_the_same_food_liked_and_hated_meets_in_one_slot() -> None:
    label, polarity = shipped().affirmed("hates", "+", "user")
    (hates,) = ranked(label, "Italian food")
    (loves,) = ranked("loves", "italian food!")
    assert (hates.predicate, hates.value.key, polarity) == (loves.predicate, loves.value.key, "-")


@given(
    st.text(min_size=1, max_size=40).filter(lambda text: "\x1f" not in text and "\x00" not in text),
    st.text(max_size=40),
    st.dictionaries(st.sampled_from(sorted(shipped().specs)), st.floats(-1, 1), max_size=30),
)
def test_any_label_gets_candidates_and_one_predicate(
    label: str, value: str, similar: dict[str, float]
) -> None:
    candidates = ranked(label, value, **similar)
    assert 1 <= len(candidates) <= MAX_CANDIDATES
    assert candidates == ranked(label, value, **dict(reversed(similar.items())))
    weak = [one.score for one in candidates if one.match == "weak"]
    assert weak == sorted(weak, reverse=True)
    assert fix(candidates, None, shipped(), {}) == fix(tuple(reversed(candidates)), None, shipped(), {})


def test_equal_scores_are_taken_by_name_and_never_win() -> None:
    value = TypedValue(type="thing", text="x", key="thing:x")
    pair = [Candidate(predicate=name, match="weak", score=0.9, value=value) for name in ("plays", "hobby")]
    new = Candidate(predicate="x", match="new", score=0, value=value)
    assert fix([*pair, new], None, shipped(), {}).predicate == "x"
