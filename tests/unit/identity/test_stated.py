"""Aliases and identifiers that statements state, and the direction of relations."""

from datetime import UTC, datetime

import pytest

from processors.identity import Context, resolve_mention
from processors.identity.memory import MemoryIdentity
from processors.identity.relations import canonical_relation, turned, with_named_value
from processors.identity.stated import alias_names, identifiers_of_subject, stated_alias
from processors.registry import Registry, shipped
from schemas.control import PredicateSpec
from schemas.facts import Fact, FactsExtracted, Mention
from schemas.identity import AliasSet, MergeEntities

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
EVENT = FactsExtracted(
    tenant="t",
    source="s",
    event_id="e2",
    stream_id="c",
    agent="chat",
    outcome="facts",
    event_time=AT,
    received_at=AT,
    extractor="x",
)
KATARINA = Mention(text="Katarina Voss", type="person")


def known(*names: str) -> MemoryIdentity:
    view = MemoryIdentity()
    for name in names:
        view.keep(resolve_mention(Mention(text=name, type="person"), Context(), view))
    return view


def says(subject: Mention, value: str, entity: Mention | None = None, **more: object) -> Fact:
    body = {"subject": subject, "predicate": "alias", "value": value, "value_entity": entity, "act": "alias"}
    return Fact.model_validate(body | more)


@pytest.mark.parametrize(
    "fact",
    [
        says(KATARINA, "Kat Voss"),
        says(Mention(text="Kat Voss", type="person"), "Katarina Voss", KATARINA),
    ],
)
def test_a_stated_alias_resolves_from_then_on(fact: Fact) -> None:
    view = known("Katarina Voss")
    found = stated_alias(EVENT, fact, Context(), view)
    assert found is not None and isinstance(found.command, AliasSet) and not found.refused
    assert (found.command.alias, found.command.entity) == ("Kat Voss", "person:katarina-voss")
    assert stated_alias(EVENT, fact, Context(), view) == found, "one command however often it is read"


def test_two_known_entities_are_for_a_person_to_merge() -> None:
    found = stated_alias(EVENT, says(KATARINA, "Kat Voss"), Context(), known("Katarina Voss", "Kat Voss"))
    assert found is not None and isinstance(found.command, MergeEntities) and found.refused
    assert (found.command.entity, found.command.into) == ("person:kat-voss", "person:katarina-voss")


@pytest.mark.parametrize(
    "fact",
    [
        says(KATARINA, "Kat Voss", polarity="-"),
        says(KATARINA, "Kat Voss", ended=True),
        says(KATARINA, "Kat Voss", confidence=0.3),
        says(KATARINA, "Kat Voss", basis="inferred"),
        says(KATARINA, "me"),
        says(KATARINA, "katarina  voss"),
        says(KATARINA, "Kat Voss", act="assert"),
        says(Mention(text="Robin", type="person"), "Rob"),
    ],
)
def test_what_states_no_alias(fact: Fact) -> None:
    assert stated_alias(EVENT, fact, Context(), known("Katarina Voss", "Robin Reed", "Robin Stone")) is None


def test_the_speakers_own_alias() -> None:
    me = Mention(text="user", type="user", entity="user:u1")
    found = stated_alias(EVENT, says(me, "Dana"), Context(), MemoryIdentity())
    assert found is not None and isinstance(found.command, AliasSet)
    assert (found.command.entity, found.command.alias_type) == ("user:u1", "user")
    assert alias_names(says(me, "Dana")) == ("Dana", me)


def test_identifiers_count_when_their_source_may_say_so() -> None:
    ana = Mention(text="Ana Ruiz", type="person")

    def fact(label: str, value: str, **more: object) -> Fact:
        return Fact.model_validate({"subject": ana, "predicate": label, "value": value} | more)

    facts = [
        fact("email", "Ana@Ruiz.example"),
        fact("crm_id", "crm:17"),
        fact("phone", "555 0100"),
        fact("website", "ruiz@web.example"),
        fact("email", "old@ruiz.example", ended=True),
        fact("email", "not@ruiz.example", polarity="-"),
        Fact(subject=Mention(text="Bo"), predicate="email", value="bo@x.example"),
    ]
    assert identifiers_of_subject(facts, ana, trusted=True) == ("email:ana@ruiz.example", "crm:17")
    assert identifiers_of_subject(facts, ana, trusted=False) == ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("person:jordan", "owns", "project:renewal"), ("project:renewal", "owner", "person:jordan")),
        (("person:ana", "manages", "person:bo"), ("person:bo", "reports_to", "person:ana")),
        (("project:renewal", "owner", "person:sam"), None),
        (("person:ana", "spouse", "person:bo"), None),
        (("user:u1", "parent", "person:bo"), None),
        (("person:jordan", "owns", "thing:car"), None),
        (("person:jordan", "owns", "person:sam"), None),
        (("person:jordan", "unheard_of", "project:renewal"), None),
    ],
)
def test_direction(said: tuple[str, str, str], kept: tuple[str, str, str] | None) -> None:
    assert canonical_relation(*said, shipped()) == (kept or said)
    assert canonical_relation(*(kept or said), shipped()) == (kept or said), "turned once, not back"


def test_two_sides_with_one_are_never_turned_to_and_fro() -> None:
    specs = (
        PredicateSpec(name="captain", cardinality="one", inverse_of="captain_of"),
        PredicateSpec(name="captain_of", cardinality="one", inverse_of="captain"),
    )
    said = ("person:ana", "captain_of", "team:otter")
    assert canonical_relation(*said, Registry.of(specs)) == said


def test_two_owners_meet_in_one_slot() -> None:
    slots = set()
    for who in ("Jordan", "Sam"):
        fact = Fact(
            subject=Mention(text=who, type="person"),
            predicate="owns",
            value="renewal",
            text=f"{who} owns the renewal.",
            cardinality_hint="many",
        )
        fact = with_named_value(fact, shipped())
        assert fact.value_entity == Mention(text="renewal", type="renewal")
        fact = turned(fact, shipped(), f"person:{who.lower()}", "renewal:renewal")
        slots.add((fact.subject.entity, fact.predicate))
        assert fact.value == who and fact.value_entity is not None
        assert fact.value_entity.entity == f"person:{who.lower()}" and fact.cardinality_hint is None
    assert slots == {("renewal:renewal", "owner")}


@pytest.mark.parametrize(
    ("value", "text", "named"),
    [
        ("project Birch", "Jordan owns project Birch.", ("Birch", "project")),
        ("Harbor renewal", "Jordan owns the Harbor renewal.", ("Harbor", "renewal")),
        ("project", "Jordan owns a project.", None),
        ("Harbor project", "Jordan owns a Harbor project.", None),
        ("car", "Jordan owns the car.", None),
    ],
)
def test_which_values_name_something(value: str, text: str, named: tuple[str, str] | None) -> None:
    fact = Fact(subject=Mention(text="Jordan", type="person"), predicate="owns", value=value, text=text)
    found = with_named_value(fact, shipped()).value_entity
    assert (None if found is None else (found.text, found.type)) == named
