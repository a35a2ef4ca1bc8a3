"""The one direction in which a relation is kept, so that all who speak of it meet in one slot.

Three steps for a fact: `with_named_value` (which thing the value names), resolving both mentions, `turned`.
"""

import re
from typing import Final

from processors.identity.naming import family_of, type_of
from processors.registry import Registry
from schemas.control import PredicateSpec
from schemas.facts import Fact, Mention

#: Before a value: "Sam owns a project" names no project, "the renewal" names one.
_INDEFINITE: Final = re.compile(
    r"\b(?:an?|some|any|every|each|no|many|several|two|three|four|both|another)\s+$", re.IGNORECASE
)
_DEFINITE: Final = re.compile(r"\b(?:the|our|my)\s+$", re.IGNORECASE)


def canonical_relation(
    subject: str, predicate: str, value_entity: str, registry: Registry
) -> tuple[str, str, str]:
    """(subject, predicate, value entity) with the side of cardinality ``one`` as the subject.

    A relation is turned when a registered predicate of cardinality ``one`` names it as its ``inverse_of`` and applies
    to the value's type: ``person:jordan owns project:renewal`` is ``project:renewal owner person:jordan``. A symmetric
    relation (spouse), two sides with many (parent, child) and a plain ``thing`` ("a car", which everybody may own one
    of) stay as they were said.
    """
    kind = type_of(value_entity)
    for spec in _other_sides(predicate, type_of(subject), registry):
        if kind != "thing" and (not spec.subjects or {kind, family_of(kind)} & set(spec.subjects)):
            return value_entity, spec.name, subject
    return subject, predicate, value_entity


def with_named_value(fact: Fact, registry: Registry) -> Fact:
    """The fact with its ``value_entity``, where the relation could be turned and the value says what it names.

    "project Birch", "the Harbor renewal" and "the renewal" do: a type that the other side applies to, and a name or an
    article. "A project" and "renewals" do not.
    """
    if fact.value_entity is not None or not fact.value:
        return fact
    subject = type_of(fact.subject.entity or fact.subject.type)
    sides = _other_sides(fact.predicate, subject, registry)
    if not sides:
        return fact
    types = {type_ for spec in sides for type_ in spec.subjects}
    mention = _typed_name(fact, types - {"thing", "person"})
    return fact if mention is None else fact.model_copy(update={"value_entity": mention})


def turned(fact: Fact, registry: Registry, subject: str, value: str | None) -> Fact:
    """The fact in the canonical direction of its relation, with both resolved entities in its mentions.

    "Jordan owns the renewal" becomes the owner of the renewal. Text and quote stay what was said. `value` is the entity
    of the fact's ``value_entity``; without one only the subject is filled in.
    """
    mention = fact.subject.model_copy(update={"entity": subject})
    if fact.value_entity is None or value is None:
        return fact.model_copy(update={"subject": mention})
    other = fact.value_entity.model_copy(update={"entity": value})
    about, predicate, _ = canonical_relation(subject, fact.predicate, value, registry)
    if about == subject:
        return fact.model_copy(update={"subject": mention, "value_entity": other})
    # The form spoke of the other side: "I own X" says nothing of how many owners X has.
    return fact.model_copy(
        update={
            "subject": other,
            "predicate": predicate,
            "value": fact.subject.text,
            "value_entity": mention,
            "cardinality_hint": None,
        }
    )


def _other_sides(predicate: str, subject_type: str, registry: Registry) -> list[PredicateSpec]:
    """The predicates of cardinality ``one`` that are the other side of one with many, by name."""
    hit = registry.lookup(predicate, subject_type)
    if hit is None or hit.spec.cardinality == "one":
        return []
    name = hit.spec.name
    sides = (spec for spec in registry.specs.values() if spec.inverse_of == name and spec.name != name)
    return sorted((spec for spec in sides if spec.cardinality == "one"), key=lambda spec: spec.name)


def _typed_name(fact: Fact, types: set[str]) -> Mention | None:
    words = fact.value.split()
    said = fact.quote.text if fact.quote else fact.text
    bare = words[1:] if words[0].casefold() in ("the", "our", "my") else words
    if not bare or _follows(_INDEFINITE, said, fact.value):
        return None
    first, last = bare[0].casefold(), bare[-1].casefold()
    if len(bare) > 1 and first in types:
        return Mention(text=" ".join(bare[1:]), type=first)
    if len(bare) > 1 and last in types:
        return Mention(text=" ".join(bare[:-1]), type=last)
    definite = bare != words or _follows(_DEFINITE, said, fact.value)
    return Mention(text=bare[0], type=first) if len(bare) == 1 and first in types and definite else None


def _follows(words: re.Pattern[str], said: str, value: str) -> bool:
    """Whether `value` stands somewhere in `said` right behind one of `words`; case makes no difference."""
    text, wanted = said.casefold(), value.casefold()
    at = text.find(wanted)
    while at >= 0:
        # A few words are enough, and searching all that comes before would take quadratic time.
        if words.search(text[max(0, at - 16) : at]):
            return True
        at = text.find(wanted, at + 1)
    return False
