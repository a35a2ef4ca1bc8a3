"""Trying one row of the table of shapes against a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from processors.extraction import values
from processors.extraction.draft import Draft, entity_value, scope_of
from processors.extraction.shape import ANIMATE, Shape
from processors.extraction.shapes import SHAPES
from processors.extraction.subjects import Context, Subject
from processors.extraction.text import Sentence, slug
from processors.extraction.verb_phrase import Verb
from processors.extraction.verbs import third_person

_I: Final = re.IGNORECASE
_LETTER: Final = {"speaker": "s", "kin": "k", "name": "n"}
_MODES: Final = {
    "cycle": "bicycle",
    "bike": "bicycle",
    "drive": "car",
    "walk": "on foot",
    "jog": "on foot",
    "run": "on foot",
}
#: "I love those games": what "those" are, the sentence does not say, unless it names them.
_POINTING: Final = re.compile(
    r"(?:[\w ]{0,30}\b(?:about|of|into) )?(?:those|these|that|this) (?!.*(?:called|named|(?-i:[A-Z])))", _I
)
_LIKINGS: Final = frozenset({"like", "dislike", "into", "fan"})
BY_VERB: Final[dict[str, tuple[Shape, ...]]] = {
    lemma: tuple(shape for shape in SHAPES if lemma in shape.verbs)
    for lemma in {lemma for shape in SHAPES for lemma in shape.verbs}
}


@dataclass(frozen=True)
class Reading:
    """A clause read so far: its span, whom it is about, its verb, and what the message has named before."""

    span: Sentence
    subject: Subject
    verb: Verb
    context: Context

    def draft(self, predicate: str, value: str, rule: str, confidence: float = 0.75) -> Draft:
        """A statement of this clause about its subject, many-valued, with the verb's negation and end."""
        negative = self.verb.negated and not self.verb.ended
        return Draft(
            self.subject.mention,
            predicate,
            value,
            self.span,
            rule,
            negative=negative,
            ended=self.verb.ended,
            one=False,
            confidence=confidence,
        )

    @property
    def who(self) -> str:
        """The letter of the subject in `Shape.who`; ``N`` is a name of two words or more."""
        full = self.subject.kind == "name" and " " in self.subject.words
        return "N" if full else _LETTER.get(self.subject.kind, "t")


def match_shape(shape: Shape, reading: Reading) -> Iterator[Draft]:
    """The statements of one row, none when it does not fit."""
    verb = reading.verb
    if not _applies(shape, reading):
        return
    whole = verb.tail.strip(" .,!")
    trimmed = whole if values.is_quoted(whole) else values.keeps_words(verb.tail)
    match = shape.tail.fullmatch(trimmed) or shape.tail.fullmatch(whole)
    if not match:
        return
    groups = {key: (text or "").strip() for key, text in match.groupdict().items()}
    raw = groups.get("v", "")
    label = slug(shape.predicate.format(verb=third_person(verb.lemma), p=groups.get("p", "")))
    ended = verb.ended or (verb.past and shape.past == "ended")
    negative = shape.name == "dislike-stand" or verb.negated != shape.negative
    scope = shape.scope.format(o=values.clean(groups.get("o", "")))
    for part in values.atoms(raw) if shape.atoms else [raw]:
        cleaned = values.clean(part) or part
        value = shape.value.format(
            v=cleaned, lemma=verb.lemma, mode=cleaned if raw else _MODES.get(verb.lemma, verb.lemma)
        )
        if (shape.check and not shape.check(cleaned)) or not _says_something(shape, value.strip(), cleaned):
            continue
        where = values.place(cleaned) if shape.name == "moved-to" else None
        at = where if where and where[0] not in {"location", "street", "network"} else (label, value.strip())
        yield replace(
            reading.draft(*at, shape.name, shape.confidence),
            one=shape.one or (False if reading.who.casefold() in ANIMATE else None),
            negative=negative and not ended,
            ended=ended,
            scope=scope_of(*scope.split(":", 1)) if scope else "",
            value_entity=entity_value(value.strip()),
        )


def _applies(shape: Shape, reading: Reading) -> bool:
    verb = reading.verb
    if reading.who not in shape.who and reading.who.casefold() not in shape.who:
        return False
    if verb.past and not verb.ended and shape.past in {"nothing", "event"}:
        return False
    if shape.name == "dislike-stand":
        return verb.negated and verb.modal == "can"
    if shape.name == "eat-only":
        return verb.only
    return not (shape.name in _LIKINGS and _POINTING.match(verb.tail))


def _says_something(shape: Shape, value: str, cleaned: str) -> bool:
    if not value or "{v}" not in shape.value or not cleaned:
        return bool(value)
    return not values.is_vague(cleaned) or values.number(value) is not None or any(c.isdigit() for c in value)
