"""Clauses about somebody: the speaker, a relative or pet of the speaker, a named person or organisation.

Steps are tried in order; a step returns None when the clause is not of its kind, and a list, possibly
empty, when it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from processors.extraction import lexicon, values
from processors.extraction.draft import Draft
from processors.extraction.events import read_event
from processors.extraction.matching import BY_VERB, Reading, match_shape
from processors.extraction.possessions import stated
from processors.extraction.shapes_habit import ABILITIES, ALONE, BARE, CAN, GENERIC, NAMING
from processors.extraction.shapes_mine import have
from processors.extraction.text import slug
from processors.extraction.verb_phrase import read_verb
from processors.extraction.verbs import FORMS, LIKING
from schemas.facts import Mention

_I: Final = re.IGNORECASE
Step = Callable[[Reading], list[Draft] | None]
#: Rule name, example, what it states: rows of the table of shapes that code decides.
ROWS: Final[tuple[tuple[str, str, str], ...]] = (
    ("is-named", "My manager is Tessa", "the relation (`manager`, `spouse`, ...), value the name"),
    ("plan", "I am going to buy a kayak", "`plans_to`"),
    ("wish", "I would like to buy a kayak", "`wants`"),
    ("will-be", "Robin will be late today", "the announced state (`late_today`), of a name only"),
    ("had-event", "I had an interview yesterday", "`had`, an event"),
    ("never-done", "I have never seen snow", "`has_done`, negative"),
    ("never-been", "I have never been to Oslo", "`has_been`, negative"),
    ("my-kin-name", "My sister Ada works at Brightwater", "`name` of the relative or pet, beside the rest"),
    (
        "stopped",
        "I stopped smoking",
        "the habit's predicate, ended",
    ),
    ("started", "I started learning Dutch", "the habit's predicate"),
)
#: Verbs that make a wish or plan too vague to keep, unless a thing follows ("get a dog").
_EMPTY_PLANS: Final = frozenset(
    """be keep make try do let say tell need have check give see ask look know get put help share hear show
    send join talk find""".split()
)
_TAKES_A_THING: Final = frozenset("get have make find join".split())
_NO_EXPERIENCE: Final = frozenset("chance time opportunity".split())


def read_animate(reading: Reading) -> list[Draft]:
    """The statements of one clause about somebody."""
    found: list[Draft] = []
    if reading.subject.name:
        name = Draft(
            reading.subject.mention, "name", reading.subject.name, reading.span, "my-kin-name", one=True
        )
        found.append(name)
    reading = _normalised(reading)
    if reading.subject.kind == "name" and reading.verb.lemma != "be" and reading.verb.form == "base":
        # "Photos give ...": a plural noun at the start of a sentence is no name.
        return found
    for step in STEPS:
        drafts = step(reading)
        if drafts is not None:
            return found + drafts
    return found


def _normalised(reading: Reading) -> Reading:
    """ "not ... any more" is an end, "I've got" is "I have", "I became" is "I am"."""
    verb = reading.verb
    if (
        verb.negated
        and verb.lemma not in LIKING | {"stand"}
        and re.search(r"\b(?:any ?more|any longer)\b", reading.span.text, _I)
    ):
        verb = replace(verb, negated=False, ended=True)
    if verb.lemma == "get" and verb.perfect and not verb.negated:
        verb = replace(verb, lemma="have", perfect=False, past=False)
    if verb.lemma == "become" and (verb.past or verb.perfect):
        verb = replace(verb, lemma="be", past=False, perfect=False)
    return replace(reading, verb=verb)


def _future(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    if verb.modal == "will":
        return _will_be(reading)
    if verb.modal not in {"plan", "wish"}:
        return None
    value = values.clean(re.sub(r"^to ", "", verb.tail))
    predicate = "plans_to" if verb.modal == "plan" else "wants"
    return [reading.draft(predicate, value, verb.modal)] if _is_concrete(value) else []


def _is_concrete(value: str) -> bool:
    words = value.casefold().split()
    if not words or values.is_vague(value):
        return False
    things = {"a", "an", "another", "married", "my", "the", "children"}
    takes = len(words) > 1 and words[0] in _TAKES_A_THING and words[1] in things
    return takes or words[0] not in _EMPTY_PLANS


def _will_be(reading: Reading) -> list[Draft]:
    if reading.subject.kind != "name" or reading.verb.lemma != "be":
        return []
    pattern = r"(?P<v>\w+(?: \w+)?)(?: (?P<when>today|tomorrow|tonight|next week|on \w+day))?$"
    match = re.match(pattern, reading.verb.tail, _I)
    if not match or match.group("v").split()[0].casefold() in lexicon.JUDGEMENTS:
        return []
    label = slug(f"{match.group('v')} {match.group('when') or ''}")
    return [replace(reading.draft(label, "yes", "will-be", 0.9), one=True)]


def _never(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    if not (verb.perfect and verb.negated) or verb.progressive:
        return None
    if verb.lemma == "be":
        value = values.clean(re.sub(r"^(?:on|to|in|at) ", "", verb.tail))
        known = value != verb.tail and not values.is_vague(value) and reading.subject.kind != "name"
        return [reading.draft("has_been", value, "never-been")] if known else []
    value = values.clean(f"{verb.lemma} {verb.tail}")
    known = not values.is_vague(values.clean(verb.tail)) and not _NO_EXPERIENCE & set(value.split())
    return [reading.draft("has_done", value, "never-done")] if known else []


def _phase(reading: Reading) -> list[Draft] | None:
    """ "stopped smoking", "started learning Dutch": the inner verb is the habit."""
    verb = reading.verb
    gave_up = verb.lemma == "give" and verb.tail.startswith("up ")
    if verb.lemma not in {"stop", "quit", "start", "begin"} and not gave_up:
        return None
    inner = read_verb("am " + re.sub(r"^up |^to be ", "", verb.tail))
    if not inner or not inner.progressive:
        return None
    stopped = verb.lemma not in {"start", "begin"}
    found = read_animate(
        replace(
            reading,
            subject=replace(reading.subject, name=""),
            verb=replace(inner, negated=verb.negated, ended=stopped or verb.ended),
        )
    )
    return [replace(draft, rule="stopped" if stopped else "started") for draft in found]


def _having(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    if verb.lemma == "have" and not verb.modal:
        owned = have(verb.tail, verb.negated, True)
        if verb.past and not verb.ended:
            # "I had a great time" is no possession; pets and relatives are worth keeping.
            owned = [s for s in owned if s.rule in {"have-pet", "have-kin"} and not s.negative]
            return stated(reading, owned) or _had_event(reading)
        return stated(reading, owned)
    if verb.lemma == "own" and not verb.past:
        owned = have(verb.tail, verb.negated, True)
        return stated(reading, [replace(s, predicate="owns") if s.predicate == "has" else s for s in owned])
    if verb.past and verb.lemma in {"get", "adopt", "buy", "rescue", "foster"} and not verb.negated:
        pets = [s for s in have(verb.tail, False, True) if s.rule in {"have-pet", "have-named", "have-aged"}]
        return stated(replace(reading, verb=replace(verb, past=False)), pets) or None
    return None


def _had_event(reading: Reading) -> list[Draft]:
    match = _EVENT_NOUN.match(reading.verb.tail)
    value = values.clean(reading.verb.tail)
    if not match or reading.verb.negated or values.is_vague(value):
        return []
    return [replace(reading.draft("had", value, "had-event"), episodic=True)]


_EVENT_NOUN: Final = re.compile(
    r"(?:an?|my|our|the|another) (?:[\w-]+ ){0,3}(?:"
    r"interview|exam|test|picnic|accident|baby|surgery|operation|appointment|party|wedding"
    r"|setback|injury|concert|show|performance|competition|funeral|miscarriage|stroke"
    r"|crash|argument|reunion|barbecue|bbq)\b",
    _I,
)


def _ability(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    if verb.modal != "can" or verb.lemma == "be" or (verb.lemma == "stand" and verb.negated):
        return None
    able = verb.lemma in ABILITIES and reading.subject.kind != "name"
    return list(match_shape(CAN, reading)) if able and not re.match(r"we\b", reading.span.text, _I) else []


def _is_named(reading: Reading) -> list[Draft] | None:
    """ "My manager is Tessa": whom the speaker's relation is to."""
    verb = reading.verb
    if (
        verb.lemma != "be"
        or verb.past
        or verb.modal
        or reading.subject.kind != "kin"
        or reading.subject.noun in lexicon.PETS
    ):
        return None
    name = _PERSON_NAME.fullmatch(verb.tail.strip(" .!"))
    if not name or name.group().casefold() in lexicon.NATIONALITIES | lexicon.CREEDS:
        return None
    noun = reading.subject.noun
    relation = lexicon.RELATION.get(noun, slug(noun))
    draft = reading.draft(relation, name.group(), "is-named", 0.9)
    mention = Mention(text=name.group(), type="person")
    return [replace(draft, subject=reading.context.speaker, one=noun in _ONE, value_entity=mention)]


_PERSON_NAME: Final = re.compile(r"(?:(?:Mr|Mrs|Ms|Dr)\.? )?[^\W\d_a-z][\w'-]+(?: [^\W\d_a-z][\w'-]+){0,2}")
_ONE: Final = frozenset(
    "mother father wife husband spouse partner girlfriend boyfriend fiance boss manager doctor".split()
)


def _rows(reading: Reading) -> list[Draft] | None:
    for shape in BY_VERB.get(reading.verb.lemma, ()):
        if found := list(match_shape(shape, reading)):
            return found
    return None


def _past(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    if not verb.past and not (verb.perfect and not verb.progressive):
        return None
    event = read_event(reading.draft("", "", ""), verb)
    return [event] if event else []


def _habit(reading: Reading) -> list[Draft] | None:
    verb = reading.verb
    wrong_form = reading.subject.kind == "name" and verb.form != "s"
    if verb.lemma not in NAMING or wrong_form or (verb.lemma == "try" and verb.progressive):
        return None
    both = re.fullmatch(r"(?:, |and |or )(?P<w>\w+)", values.keeps_words(verb.tail), _I)
    second = FORMS.get(both.group("w").casefold()) if both else None
    if second and {second.lemma, verb.lemma} <= ALONE:
        return [reading.draft("does", lemma, BARE.name) for lemma in (verb.lemma, second.lemma)]
    if not re.search(r"\w", values.clean(verb.tail)):
        alone = verb.lemma in ALONE and (verb.ended or not verb.progressive)
        return [reading.draft("does", verb.lemma, BARE.name)] if alone else []
    return list(match_shape(GENERIC, reading))


STEPS: Final[tuple[Step, ...]] = (_future, _never, _phase, _having, _ability, _is_named, _rows, _past, _habit)
_NEVER_ANY: Final = re.compile(
    r"\s*(?:have|'ve|has|haven't|hasn't)(?: never| not|) (?P<v>\w+(?:ed|en|wn|ne|ung|ot) .+)$", _I
)


def never_done(reading: Reading, text: str) -> list[Draft]:
    """ "I have never scalped a ticket": an experience denied, whatever the verb; ``text`` follows the subject."""
    match = _NEVER_ANY.match(text)
    if not match or not re.search(r"never|not|n't", text[: match.start("v")]):
        return []
    value = values.clean(match.group("v"))
    return (
        []
        if values.is_vague(value)
        else [replace(reading.draft("has_done", value, "never-done"), negative=True)]
    )
