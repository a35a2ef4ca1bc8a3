"""Clauses about what belongs to the speaker: "my X ...", and the drafts of what "have" and "my X is" state."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from processors.extraction import lexicon, values
from processors.extraction.draft import Draft
from processors.extraction.matching import Reading
from processors.extraction.shapes_mine import Stated, my_is
from processors.extraction.subjects import Context
from processors.extraction.text import slug
from processors.extraction.verbs import OF_THINGS, third_person

_I: Final = re.IGNORECASE
_LASTING: Final = frozenset({"my-name", "my-job", "my-favorite", "my-hobby", "my-goal"})
_LISTED: Final = frozenset({"have", "have-none", "have-pet", "have-kin", "have-allergy", "my-hobby"})


def read_mine(reading: Reading) -> list[Draft]:
    """ "my X is Y", "my X moved to Y", "my X ends in Y": the noun names the predicate."""
    verb, noun = reading.verb, reading.subject.noun
    if verb.lemma == "be" and not verb.modal:
        found = my_is(noun, verb.tail, verb.negated)
        # "My team was close to winning" is a story; a past name, job or favorite is worth an end.
        return stated(reading, [s for s in found if not verb.past or s.rule in _LASTING])
    if (verb.lemma in {"include", "involve"} and not verb.past) or verb.progressive:
        after_be = (
            re.search(r"(?:\b(?:is|are)|'s) (?P<v>.+)", reading.span.text) if verb.progressive else None
        )
        return stated(reading, my_is(noun, after_be.group("v") if after_be else verb.tail, verb.negated))
    moved = re.match(r"(?:over )?to (?P<v>.+)", verb.tail, _I) if verb.lemma == "move" else None
    if moved:
        attribute, at = values.place(moved.group("v"))
        return [replace(reading.draft(f"{slug(noun)}_{attribute}", at, "my-moved", 0.9), one=True)]
    states = not verb.past and not verb.perfect and not verb.modal
    return _does(reading) if states and verb.lemma in OF_THINGS | {"have"} else []


def _does(reading: Reading) -> list[Draft]:
    noun = reading.subject.noun
    match = re.match(
        r"(?:(?P<p>in|at|on|to|with|for|from|as|of|up|by|into) )?(?P<v>.+)", reading.verb.tail, _I
    )
    value = values.clean(match.group("v")) if match else ""
    if not match or not value or (values.is_vague(value) and not value.isdecimal()):
        return []
    if values.is_vague(noun) or len(slug(noun)) > 60:
        return []
    label = slug(f"{noun} {third_person(reading.verb.lemma)} {match.group('p') or ''}")
    one = True if any(c.isdigit() for c in value) else None
    return [replace(reading.draft(label, value, "my-verb"), one=one)]


def stated(reading: Reading, found: list[Stated]) -> list[Draft]:
    """Drafts of what was stated; a named pet or relative becomes a subject of its own. The past tense is
    an end."""
    return [_draft(reading, item) for item in found]


def _draft(reading: Reading, item: Stated) -> Draft:
    one = True if item.one else False if item.rule in _LISTED else None
    draft = replace(
        reading.draft(item.predicate, item.value, item.rule, item.confidence),
        one=one,
        negative=item.negative,
        ended=reading.verb.ended or reading.verb.past,
        scope=item.scope,
    )
    if item.rule in {"have-pet", "have-kin"} and not item.negative:
        _remember(item.value, reading.context)
    if not item.about:
        return draft
    noun = lexicon.KIN.get(item.about.casefold(), item.about.casefold())
    mention = reading.context.own(noun, "person" if noun in lexicon.RELATION else "pet")
    return replace(draft, subject=mention, ended=False)


def _remember(value: str, context: Context) -> None:
    """A pet or relative just named is what "he", "she", "its name" mean next."""
    for word in value.casefold().split():
        if word in lexicon.PETS:
            context.remember(context.own(word, "pet"))
            return
        if word in lexicon.KIN:
            context.remember(context.own(lexicon.KIN[word], "person"))
            return
