"""Events ("I adopted the policy yesterday") and statements about things ("the nightly job runs on node 3")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from processors.extraction import lexicon, values
from processors.extraction.draft import Draft
from processors.extraction.shapes_mine import Stated, have, the_is
from processors.extraction.subjects import Subject, attribute_of, thing_mention
from processors.extraction.text import Sentence, slug
from processors.extraction.verb_phrase import Verb
from processors.extraction.verbs import EVENTS, FORMS, HABITS, OF_THINGS, past_forms, third_person

_I: Final = re.IGNORECASE
_PREP: Final = re.compile(
    r"(?:(?P<p>(?:up|out|off|over|back) (?:for|to|in|at|on|with|of)|at|for|in|on|to|with"
    r"|about|from|of|into|up|out|off|over|as|by|through|down) )?(?P<v>.+)",
    _I,
)
#: Rule name, example, what it states: rows of the table of shapes that code decides.
ROWS: Final[tuple[tuple[str, str, str], ...]] = (
    ("event", "I visited Oslo last year", "the verb in the past (`visited`), an event"),
    ("member", "I joined a writing group", "`member_of`"),
    ("opened-in", "QRS opened a branch in Oslo", "the opened thing (`branch`)"),
    ("past-habit", "I collected stamps as a child", "a habit that ended"),
    (
        "thing-runs-on",
        "Service ledger runs on Java 17 and RabbitMQ",
        "`runs_on`, scope the product; `node`, `server`, ...",
    ),
    ("thing-runs-at", "Backups run at 02:00", "`start_time`"),
    ("thing-with", "We run the nightly job on node 3 with four workers", "`node`, `workers` of the thing"),
    ("thing-has", "The nightly job has four workers", "`workers` = 4; else `has`"),
    ("thing-verb", "The lab opens at 8; the tent sleeps four", "the verb (`opens_at`, `sleeps`)"),
)


#: First words of an event's object that make it no event worth keeping.
_SKIP: Final = frozenset(
    """it them this that him her you to a lot so really very much my best started some stuff back out up
    down together away through going used able ready better worse done off over around along lost stuck
    good well chance chances""".split()
) - {"a", "my", "some", "to", "out", "up"}


_TRIVIAL: Final = frozenset(
    "bit advice idea hurt pic pics photo photos picture pictures surge chance opportunity sense awareness "
    "mistake effort memories memory wishes wish call difference way sense point impact "
    "progress".split()
)
#: Habits whose past alone says that they are over.
_DURABLE: Final = frozenset("smoke drink own coach serve collect sell tutor breed compete foster".split())
_FOR_LONG: Final = re.compile(
    r"\bfor (?:\d+|many|several|a few|two|three|four|five|six|ten|twenty|a"
    r"|the) (?:\w+ )?(?:years?|months|decades?)\b|\bin (?:high |middle |elementary )?"
    r"(?:school|college)\b|\bas a (?:kid|child|teen\w*|boy|girl)\b|\bgrowing up\b"
    r"|\bin my (?:youth|twenties|childhood)\b",
    _I,
)


def read_event(base: Draft, verb: Verb) -> Draft | None:
    """An episodic fact of a verb in the past or perfect with a concrete object; a habit's past is ended
    instead."""
    tail = verb.tail.strip(" .,!")
    match = _PREP.fullmatch(tail)
    value = values.clean(_first_verb_only(match.group("v"))) if match else ""
    if not match or not value or value.casefold().split()[0] in _SKIP or values.is_vague(value):
        return None
    if verb.negated and not verb.perfect:
        return None
    particle = (match.group("p") or "").casefold()
    words = value.casefold().split()
    if verb.lemma == "join":
        return replace(base, predicate="member_of", value=value, rule="member", one=False)
    got = FORMS.get(words[0])
    if (
        (got and got.form == "past" and verb.lemma == "get" and words[0] not in {"married"})
        or tail.split()[0].endswith("ing")
        or set(words) & _TRIVIAL
        or (verb.lemma == "get" and particle in {"to", "back"})
        or (verb.lemma in {"see", "give", "end"} and not verb.perfect)
    ):
        return None
    opened = re.match(
        r"(?:an? |the |their |its )?(?:new )?(?P<n>branch|office|store|shop|plant|factory|site"
        r"|warehouse|lab|school) in (?P<v>.+)",
        tail,
        _I,
    )
    if verb.lemma == "open" and opened:
        return replace(
            base,
            predicate=slug(opened.group("n")),
            value=values.clean(opened.group("v")),
            rule="opened-in",
            one=False,
        )
    if verb.lemma in EVENTS:
        label = slug(f"{_past_label(verb)} {particle}")
        return replace(
            base, predicate=label, value=value, rule="event", episodic=True, one=False, confidence=0.8
        )
    if verb.lemma in HABITS and verb.past and (verb.lemma in _DURABLE or _FOR_LONG.search(base.span.text)):
        return replace(
            base,
            predicate=slug(f"{third_person(verb.lemma)} {particle}"),
            value=value,
            rule="past-habit",
            ended=True,
            one=False,
            negative=False,
            confidence=0.75,
        )
    return None


def _first_verb_only(text: str) -> str:
    """ "a hike and stumbled upon a park": what a second past verb says is another event."""
    for match in re.finditer(r",? and (?:then |also |even )?(?P<w>[\w']+)", text):
        word = match.group("w").casefold()
        form = FORMS.get(word)
        if (
            (form and form.form == "past" and form.lemma not in {"cut", "read", "hurt", "run"})
            or word.endswith("ed")
            or word in _OTHER_PAST
        ):
            return text[: match.start()]
    return text


_OTHER_PAST: Final = frozenset(
    "caught felt was were did came ended stumbled thought told said heard let put set am been have".split()
)


def _past_label(verb: Verb) -> str:
    return past_forms(verb.lemma)[0]


def read_things(clause: Sentence, subject: Subject, verb: Verb) -> Iterator[Draft]:
    """Statements about a thing: where it is, its state, its attributes, what it has, what it does at what
    time."""
    base = Draft(subject.mention, "", "", clause, "", ended=verb.ended)
    if verb.modal or verb.perfect:
        return
    if verb.lemma == "be":
        if not verb.past:
            yield from _is(base, subject, verb)
        return
    if verb.past and verb.lemma in EVENTS:
        if event := read_event(base, verb):
            yield event
        return
    if verb.past or verb.progressive:
        return
    if verb.lemma == "have":
        for item in have(verb.tail, verb.negated, False):
            yield replace(
                base,
                predicate=item.predicate,
                value=item.value,
                one=item.one or False,
                negative=item.negative,
                rule="thing-has",
            )
        return
    if verb.lemma in OF_THINGS:
        yield from _does(base, verb)


def _is(base: Draft, subject: Subject, verb: Verb) -> Iterator[Draft]:
    attribute = attribute_of(subject.words)
    if (
        attribute
        and verb.tail.split(" ")[0].casefold() in lexicon.STATES
        and attribute[1] not in {"state", "status"}
    ):
        # "the server room is locked" is about the room.
        attribute = None
    if subject.noun and attribute:
        owner, label = attribute
        value = values.clean(verb.tail)
        if value and (values.number(value) or not values.is_vague(value)):
            yield replace(
                base,
                subject=thing_mention(owner),
                predicate=slug(label),
                value=value,
                one=True,
                negative=verb.negated,
                rule="attribute",
            )
        return
    found: list[Stated] = the_is(subject.words, verb.tail, verb.negated)
    for item in found:
        yield replace(
            base,
            predicate=item.predicate,
            value=item.value,
            one=item.one,
            negative=item.negative,
            rule=item.rule,
            confidence=item.confidence,
        )


def _does(base: Draft, verb: Verb) -> Iterator[Draft]:
    tail = verb.tail.strip(" .,!")
    match = _PREP.fullmatch(tail)
    if not match:
        return
    particle, rest = (match.group("p") or "").casefold(), match.group("v")
    if (verb.lemma, particle) in {("run", "on"), ("use", "")}:
        label = "runs_on" if verb.lemma == "run" else "uses"
        yield from runs_on(replace(base, predicate=label, negative=verb.negated), rest)
        return
    value = values.clean(rest)
    first = value.casefold().split()[0] if value else ""
    if not value or (
        values.is_vague(value) and not any(c.isdigit() for c in value) and not values.number(value)
    ):
        return
    if verb.lemma in {"run", "start"} and particle == "at":
        yield replace(
            base, predicate="start_time", value=value, one=True, negative=verb.negated, rule="thing-runs-at"
        )
        return
    numeric = any(c.isdigit() for c in value) or values.number(first) is not None
    label = (
        third_person(verb.lemma)
        if particle in {"", "at"} and numeric
        else slug(f"{third_person(verb.lemma)} {particle}")
    )
    number = values.number(value)
    yield replace(
        base,
        predicate=label,
        value=number or value,
        one=True if numeric else None,
        negative=verb.negated,
        rule="thing-verb",
        confidence=0.8,
    )


def runs_on(base: Draft, rest: str) -> Iterator[Draft]:
    """ "Java 17 and RabbitMQ", "node 3 with four workers": products keep a scope of their own, so that a
    new version of one
    replaces the old one and leaves its neighbour alone."""
    place, _, extra = rest.partition(" with ")
    for part in values.atoms(values.clean(place)):
        value = values.clean(part)
        if re.search(r"\b(?:stays?|remains?|unchanged)\b", part, _I):
            continue
        attribute, at = values.place(value)
        if attribute not in {"location", "street"}:
            yield replace(base, predicate=attribute, value=at, one=True, rule="thing-runs-on")
        elif not values.is_vague(value):
            product = re.sub(r"\s+v?\d[\w.]*$", "", value) or value
            yield replace(
                base,
                predicate=base.predicate or "runs_on",
                value=value,
                scope=slug(product).replace("_", "-"),
                one=True,
                rule="thing-runs-on",
            )
    count = re.match(r"(\w+) ([\w -]{2,40})", values.clean(extra))
    if count and values.number(count.group(1)):
        yield replace(
            base,
            predicate=slug(count.group(2)),
            value=values.number(count.group(1)) or "",
            one=True,
            rule="thing-with",
        )


_WE_RUN: Final = re.compile(
    r"(?:we|i|they) (?:run|host|deploy|serve) (?:the |our )(?P<x>[\w -]{2,40}?) on (?P<v>.+)", _I
)


def we_run(span: Sentence) -> list[Draft]:
    """ "We run the nightly job on node 3 with four workers" is about the job."""
    match = _WE_RUN.fullmatch(span.text.strip(" .!"))
    return (
        list(runs_on(Draft(thing_mention(match.group("x")), "", "", span, "thing-runs-on"), match.group("v")))
        if match
        else []
    )
