"""The shipped registry and what a tenant makes of it."""

from collections import defaultdict

import pytest
from pydantic import ValidationError

from processors.registry import Registry, applies, label_of, shipped
from processors.values import ENTITY_TYPES, OPEN_TYPES, STRICT_TYPES
from schemas.control import PredicateSpec, RegistrySet


def found(label: str, subject: str = "user") -> tuple[str, str] | None:
    hit = shipped().lookup(label, subject)
    return None if hit is None else (hit.spec.name, hit.match)


def test_every_shipped_entry_can_be_used() -> None:
    for name, spec in shipped().specs.items():
        assert name == label_of(name) or name.endswith("_*")
        assert spec.value_type in OPEN_TYPES | STRICT_TYPES | ENTITY_TYPES
        assert spec.description or name.endswith("_*")
        assert not set(map(label_of, spec.opposites)) & set(map(label_of, spec.synonyms))


def test_no_label_means_two_shipped_predicates_on_one_type() -> None:
    meant = defaultdict(list)
    for spec in shipped().specs.values():
        for label in {label_of(synonym) for synonym in spec.synonyms}:
            for kind in spec.subjects or ("user", "org", "thing", "project"):
                if spec.subjects or not any(
                    other.subjects and applies(other, kind) for other in meant[label, kind]
                ):
                    meant[label, kind].append(spec)
    assert {
        slot: specs for slot, specs in meant.items() if len({bool(s.subjects) for s in specs}) < len(specs)
    } == {}


@pytest.mark.parametrize(
    ("label", "subject", "expected"),
    [
        ("timezone", "user", ("timezone", "exact")),
        ("user.timezone", "user", ("timezone", "exact")),
        ("Time Zone", "user", ("timezone", "synonym")),
        ("timeZone", "user", ("timezone", "synonym")),
        ("tz", "user", ("timezone", "synonym")),
        ("location", "user", ("lives_in", "synonym")),
        ("location", "org", ("located_in", "synonym")),
        ("org.location", "org", ("located_in", "synonym")),
        ("lives_in", "thing", ("lives_in", "exact")),
        ("loves", "person", ("likes", "synonym")),
        ("favouriteColour", "user", ("favorite_color", "exact")),
        ("only_eats", "user", ("eats_only", "synonym")),
        ("office_timezone", "user", None),
        ("dislikes", "user", None),
        ("时区", "user", None),
    ],
)
def test_lookup(label: str, subject: str, expected: tuple[str, str] | None) -> None:
    assert found(label, subject) == expected


def test_a_label_of_the_opposite_turns_the_polarity() -> None:
    assert shipped().affirmed("dislikes", "+", "user") == ("likes", "-")
    assert shipped().affirmed("user.hates", "-", "user") == ("likes", "+")
    assert shipped().affirmed("likes", "-", "user") == ("likes", "-")
    assert shipped().affirmed("dislikes", "+", "org") == ("dislikes", "+")


def test_a_tenant_adds_and_replaces_by_name_and_its_synonyms_win() -> None:
    entries = (
        PredicateSpec(name="badge", value_type="number", synonyms=("バッジ", "tz")),
        PredicateSpec(name="timezone", value_type="timezone", cardinality="many"),
    )
    mine = shipped().merged(RegistrySet(tenant="t", event_id="1", predicates=entries))
    assert mine.get("timezone").cardinality == "many"  # type: ignore[union-attr]
    assert shipped().get("timezone").cardinality == "one"  # type: ignore[union-attr]
    assert mine.lookup("ﾊﾞｯｼﾞ", "user").spec.name == "badge"  # type: ignore[union-attr]
    assert mine.lookup("tz", "user").spec.name == "badge"  # type: ignore[union-attr]
    assert mine.lookup("loves", "user").spec.name == "likes"  # type: ignore[union-attr]


def test_the_registry_is_data_that_is_checked() -> None:
    with pytest.raises(ValidationError):
        PredicateSpec(name="x", half_life_days=0)
    assert Registry.of([PredicateSpec(name="Home City")]).get("home_city").name == "home_city"  # type: ignore[union-attr]


def test_texts_for_the_embedder_leave_out_families_and_other_types() -> None:
    texts = shipped().texts("user")
    assert texts["timezone"] == "timezone: the time zone the person is in"
    assert "located_in" not in texts and "favorite_*" not in texts


def test_one_label_is_two_predicates_by_its_subject() -> None:
    """A task is assigned to one; a person may be assigned to many."""
    assert found("assigned_to", "task") == ("assigned_to", "exact")
    assert found("assigned_to", "person") == ("works_on", "synonym")
