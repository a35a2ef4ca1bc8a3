"""Reading one message: sentence by sentence, clause by clause, each clause against the table of shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from processors.extraction import acts, guards, values
from processors.extraction.animate import never_done, read_animate
from processors.extraction.clauses import clauses, strip_openers
from processors.extraction.draft import Draft, scope_of
from processors.extraction.events import read_things, we_run
from processors.extraction.languages import read_foreign
from processors.extraction.matching import Reading
from processors.extraction.possessions import read_mine
from processors.extraction.subjects import Context, Subject, read_subject, thing_mention
from processors.extraction.text import Sentence, flat, sentences
from processors.extraction.verb_phrase import Verb, read_verb
from schemas.facts import Mention

_I: Final = re.IGNORECASE
_WRONG: Final = re.compile(
    r"(?:that|it|this) (?:was|is) (?:wrong|a mistake|an error|a typo|false|incorrect|not true)\W*$", _I
)
_VISITOR: Final = re.compile(
    r"(?:i'm|i am|this is) (?:(?:an?|the|your) (?:new )?(?:visitor|guest|caller|stranger"
    r"|newcomer|customer|passenger|patient|neighbou?r|colleague)"
    r"(?:,)? (?:named|called) (?P<a>[^\W\d_][\w'-]+)"
    r"|(?-i:(?P<b>[A-Z][\w'-]+)),? (?:speaking|here|on the line)\b)",
    _I,
)
#: What only things do: "Contract renews in March".
_ONLY_THINGS: Final = frozenset(
    "renew expire cost weigh open close start end begin finish ship arrive".split()
)
_INSTEAD: Final = re.compile(r"(?:it's|it is|rather|but) (?P<v>\S.*)$", re.IGNORECASE)
_FORGET_THAT: Final = re.compile(
    r"(?:please )?(?:forget|disregard|ignore|delete|it is not true|it's not true"
    r"|it isn't true|it was wrong) that (?=(?:i|we|i'm|my|our|the) )",
    _I,
)
_FRONTED: Final = re.compile(
    r"(?:At|In|On|For|From) (?P<scope>[^\W\d_a-z][\w&'. -]{1,40}?),? (?=(?:I|we|my) )"
)


def read_message(text: str, speaker: Mention) -> list[Draft]:
    """All statements of a message, in order of their spans. Never raises on any text."""
    plain = guards.mask_quotes(flat(text))
    context = Context(speaker)
    found: list[Draft] = []
    for sentence in sentences(plain):
        visitor = _VISITOR.search(sentence.text)
        if visitor and context.speaker.type not in {"person", "guest"}:
            name = visitor.group("a") or visitor.group("b")
            context.speaker = Mention(text=name, type="person")
            found.append(Draft(context.speaker, "name", name, sentence, "visitor", one=True))
            continue
        found.extend(read_sentence(sentence, context))
    return found


def read_sentence(whole: Sentence, context: Context) -> list[Draft]:
    """The statements of one sentence, its guards applied."""
    sentence = strip_openers(whole)
    taken_back = _FORGET_THAT.match(sentence.text)
    if taken_back:
        drafts = read_sentence(sentence.cut(taken_back.end(), len(sentence.text)), context)
        return [replace(draft, act="retract") for draft in drafts]
    if found := acts.try_acts(sentence, context, before_guards=True):
        rest = re.match(r"not (?:true|right|correct|so)\b[\s,:;.-]+", sentence.text, _I)
        tail = sentence.cut(rest.end(), len(sentence.text)) if rest else None
        return found + (read_sentence(tail, context) if tail and tail.text else [])
    verdict = guards.judge(whole)
    if verdict == "nothing" or (sentence is not whole and guards.judge(sentence) == "nothing"):
        return []
    if found := read_foreign(sentence, context):
        return found
    if guards.is_order(sentence):
        return []
    sentence = guards.strip_guess(sentence)
    fronted = _FRONTED.match(sentence.text)
    body = sentence.cut(fronted.end(), len(sentence.text)) if fronted else sentence
    drafts = (
        acts.try_acts(body, context, before_guards=False)
        or we_run(body)
        or list(_read_clauses(body, context))
    )
    if fronted and not re.match(r"\d|the\b", fronted.group("scope")):
        drafts = [
            replace(draft, scope=draft.scope or scope_of("", fronted.group("scope"))) for draft in drafts
        ]
    if verdict == "inferred":
        drafts = [replace(draft, inferred=True) for draft in drafts]
    return drafts


def _read_clauses(sentence: Sentence, context: Context) -> Iterator[Draft]:
    subject: Subject | None = None
    before: list[Draft] = []
    for clause, shares in clauses(sentence):
        if _WRONG.match(clause.text) and before:
            yield from (replace(draft, act="retract", negative=False) for draft in before)
            before = []
            continue
        instead = _INSTEAD.match(clause.text)
        if instead and len(before) == 1 and before[0].negative and before[0].one:
            # "My name isn't Bob, it's Rob."
            value = values.clean(instead.group("v"))
            yield from before
            before = [replace(before[0], value=value, negative=False, span=clause)] if value else []
            continue
        yield from before
        before = acts.try_acts(clause, context, before_guards=False) if not shares else []
        if before:
            continue
        if not shares:
            subject = read_subject(clause.text, context)
        if subject:
            text = clause.text if shares else clause.text[subject.end :]
            before = _read_clause(clause, subject, text, context)
    yield from before


def _read_clause(span: Sentence, subject: Subject, text: str, context: Context) -> list[Draft]:
    """One clause; ``text`` is what follows its subject."""
    # "Been reading X" has left out "I have".
    verb = read_verb("have " + text if text.casefold().startswith("been ") else text.lstrip())
    if not verb:
        experience = Reading(span, subject, Verb("have", ""), context)
        return never_done(experience, text) if subject.kind in {"speaker", "kin"} else []
    reading = Reading(span, subject, verb, context)
    if subject.kind == "mine":
        return read_mine(reading)
    runs_on = verb.lemma == "run" and verb.tail.startswith("on ")
    if subject.kind == "name" and not verb.past and (runs_on or verb.lemma in _ONLY_THINGS):
        subject = replace(subject, kind="thing", mention=thing_mention(subject.words.removeprefix("The ")))
    if subject.kind == "thing":
        return list(read_things(span, subject, verb))
    return read_animate(reading)
