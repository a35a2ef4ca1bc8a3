"""Reading one message: sentence by sentence, clause by clause, each clause against the table of shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from processors.extraction import acts, guards, lexicon, values
from processors.extraction.clauses import Verb, clauses, read_verb, strip_openers
from processors.extraction.draft import Draft, entity_value, scope_of
from processors.extraction.events import read_event, read_things, we_run
from processors.extraction.languages import read_foreign
from processors.extraction.shapes import ABILITIES, ALONE, ANIMATE, BARE, CAN, GENERIC, NAMING, SHAPES, Shape
from processors.extraction.shapes_mine import Stated, have, my_is
from processors.extraction.subjects import Context, Subject, read_subject
from processors.extraction.text import Sentence, flat, sentences, slug
from processors.extraction.verbs import LIKING, OF_THINGS, third_person
from schemas.facts import Mention

_I: Final = re.IGNORECASE
_BY_VERB: Final[dict[str, tuple[Shape, ...]]] = {
    lemma: tuple(shape for shape in SHAPES if lemma in shape.verbs)
    for lemma in {v for s in SHAPES for v in s.verbs}
}
_LETTER: Final = {"speaker": "s", "kin": "k", "name": "n", "thing": "t", "mine": "m"}
_WRONG: Final = re.compile(
    r"(?:that|it|this) (?:was|is) (?:wrong|a mistake|an error|a typo|false|incorrect|not true)\W*$", _I
)
_VISITOR: Final = re.compile(
    r"(?:i'm|i am|this is) (?:(?:an?|the|your) (?:new )?(?:visitor|guest|caller|stranger|newcomer|customer|passenger|patient|neighbou?r|colleague)"
    r"(?:,)? (?:named|called) (?P<a>[^\W\d_][\w'-]+)|(?-i:(?P<b>[A-Z][\w'-]+)),? (?:speaking|here|on the line)\b)", _I,
)  # fmt: skip
_MODES: Final = {
    "cycle": "bicycle",
    "bike": "bicycle",
    "drive": "car",
    "walk": "on foot",
    "jog": "on foot",
    "run": "on foot",
}
_FORGET_THAT: Final = re.compile(
    r"(?:please )?(?:forget|disregard|ignore|delete|it is not true|it's not true|it isn't true|it was wrong) that (?=(?:i|we|i'm|my|our|the) )",
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
    if verdict == "nothing" or guards.judge(sentence) == "nothing":
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
        yield from before
        before = acts.try_acts(clause, context, before_guards=False) if not shares else []
        if before:
            continue
        if not shares:
            subject = read_subject(clause.text, context)
        if subject:
            before = list(
                _read_clause(clause, subject, clause.text if shares else clause.text[subject.end :], context)
            )
    yield from before


def _read_clause(clause: Sentence, subject: Subject, text: str, context: Context) -> Iterator[Draft]:
    verb = read_verb(text.lstrip())
    if not verb:
        if subject.kind in {"speaker", "kin"}:
            yield from _never_done(clause, subject, text)
        return
    if subject.kind == "mine":
        yield from _mine(clause, subject, verb, context)
    elif subject.kind == "thing" or (
        subject.kind == "name" and verb.lemma == "run" and verb.tail.startswith("on ")
    ):
        yield from read_things(clause, subject, verb)
    else:
        yield from _animate(clause, subject, verb, context)


def _never_done(clause: Sentence, subject: Subject, text: str) -> Iterator[Draft]:
    """ "I have never <verb of any kind> X": an experience denied."""
    match = re.match(
        r"\s*(?:have|'ve|has|haven't|hasn't)(?: never| not|) (?P<v>\w+(?:ed|en|wn|ne|ung|ot) .+)$", text, _I
    )
    if match and re.search(r"never|not|n't", text[: match.start("v")]):
        value = values.clean(match.group("v"))
        if not values.is_vague(value):
            yield Draft(
                subject.mention,
                "has_done",
                value,
                clause,
                "never-done",
                negative=True,
                one=False,
                confidence=0.75,
            )


def _animate(clause: Sentence, subject: Subject, verb: Verb, context: Context) -> Iterator[Draft]:
    letter = "N" if subject.kind == "name" and " " in subject.words else _LETTER[subject.kind]
    if subject.name:
        yield Draft(subject.mention, "name", subject.name, clause, "my-kin-name", one=True)
    if (
        verb.negated
        and verb.lemma not in LIKING | {"stand"}
        and re.search(r"\b(?:any ?more|any longer)\b", clause.text, _I)
    ):
        verb = replace(verb, negated=False, ended=True)
    base = Draft(subject.mention, "", "", clause, "", negative=verb.negated, ended=verb.ended)
    if subject.kind == "name" and verb.lemma != "be" and verb.form == "base":
        return
    if verb.modal == "will":
        yield from _will(base, subject, verb)
        return
    if verb.modal in {"plan", "wish"}:
        value = values.clean(re.sub(r"^to ", "", verb.tail))
        if _concrete(value):
            yield replace(
                base,
                predicate="plans_to" if verb.modal == "plan" else "wants",
                value=value,
                rule=verb.modal,
                one=False,
                confidence=0.75,
            )
        return
    if verb.perfect and verb.negated and verb.lemma != "be" and not verb.progressive:
        value = values.clean(
            f"{third_person(verb.lemma)} {verb.tail}" if verb.lemma == "have" else f"{verb.lemma} {verb.tail}"
        )
        if not values.is_vague(values.clean(verb.tail)) and not {"chance", "time", "opportunity"} & set(
            value.split()
        ):
            yield replace(
                base, predicate="has_done", value=value, rule="never-done", one=False, confidence=0.75
            )
        return
    if verb.lemma == "be" and verb.perfect and verb.negated:
        value = values.clean(re.sub(r"^(?:on|to|in|at) ", "", verb.tail))
        if value != verb.tail and not values.is_vague(value) and subject.kind != "name":
            yield replace(
                base, predicate="has_been", value=value, rule="never-been", one=False, confidence=0.75
            )
        return
    if verb.lemma in {"stop", "quit", "start", "begin"} or (
        verb.lemma == "give" and verb.tail.startswith("up ")
    ):
        inner = read_verb("am " + re.sub(r"^up |^to be ", "", verb.tail))
        if inner and inner.progressive:
            stopped = verb.lemma not in {"start", "begin"}
            yield from _animate(
                clause, subject, replace(inner, negated=verb.negated, ended=stopped or verb.ended), context
            )
            return
    if verb.lemma == "become" and (verb.past or verb.perfect):
        verb = replace(verb, lemma="be", past=False, perfect=False)
    if verb.lemma == "have" and not verb.modal:
        owned = have(verb.tail, verb.negated, True)
        if verb.past and not verb.ended:
            owned = [s for s in owned if s.rule in {"have-pet", "have-kin"} and not s.negative]
        yield from stated(base, owned, context, past=verb.past)
        return
    if verb.lemma == "own" and not verb.past:
        owned = have(verb.tail, verb.negated, True)
        yield from stated(
            base,
            [replace(s, predicate="owns" if s.predicate == "has" else s.predicate) for s in owned],
            context,
        )
        return
    if verb.past and verb.lemma in {"get", "adopt", "buy", "rescue", "foster"} and not verb.negated:
        owned = [s for s in have(verb.tail, False, True) if s.rule in {"have-pet", "have-named", "have-aged"}]
        if owned:
            yield from stated(base, owned, context)
            return
    if verb.modal == "can" and not (verb.lemma == "stand" and verb.negated) and verb.lemma != "be":
        if verb.lemma in ABILITIES and subject.kind != "name" and not re.match(r"we\b", clause.text, _I):
            yield from _shape(CAN, base, subject, verb, letter)
        return
    for shape in _BY_VERB.get(verb.lemma, ()):
        if found := list(_shape(shape, base, subject, verb, letter)):
            yield from found
            return
    if verb.past and (event := read_event(base, verb)):
        yield event
        return
    if verb.perfect and not verb.progressive:
        if event := read_event(base, verb):
            yield event
        return
    if (
        verb.past
        or verb.lemma not in NAMING
        or (subject.kind == "name" and verb.form != "s")
        or (verb.lemma == "try" and verb.progressive)
    ):
        return
    if not re.search(r"\w", values.clean(verb.tail)):
        if verb.lemma in ALONE and (verb.ended or not verb.progressive):
            yield replace(
                base,
                predicate="does",
                value=verb.lemma,
                rule=BARE.name,
                one=False,
                ended=verb.ended,
                negative=verb.negated and not verb.ended,
                confidence=0.75,
            )
        return
    yield from _shape(GENERIC, base, subject, verb, letter)


def _concrete(value: str) -> bool:
    words = value.casefold().split()
    owned = (
        len(words) > 1
        and words[0] in {"get", "have", "make", "find", "join"}
        and words[1] in {"a", "an", "another", "married", "my", "the", "children"}
    )
    return bool(words) and (owned or words[0] not in {
        "be", "keep", "make", "try", "do", "let", "say", "tell", "need", "have", "check", "give", "see", "ask", "look", "know", "get", "put",
        "help", "share", "hear", "show", "send", "join", "talk", "find",
    }) and not values.is_vague(value)  # fmt: skip


def _will(base: Draft, subject: Subject, verb: Verb) -> Iterator[Draft]:
    """A named third party's announced state: "Robin will be late today"."""
    if subject.kind != "name" or verb.lemma != "be":
        return
    match = re.match(
        r"(?P<v>\w+(?: \w+)?)(?: (?P<when>today|tomorrow|tonight|next week|on \w+day))?$", verb.tail, _I
    )
    if match and match.group("v").split()[0].casefold() not in lexicon.JUDGEMENTS:
        label = slug(f"{match.group('v')} {match.group('when') or ''}")
        yield replace(base, predicate=label, value="yes", rule="will-be", one=True)


def _mine(clause: Sentence, subject: Subject, verb: Verb, context: Context) -> Iterator[Draft]:
    base = Draft(subject.mention, "", "", clause, "", ended=verb.ended or verb.past)
    noun = subject.noun
    if verb.lemma == "be" and not verb.modal:
        yield from stated(base, my_is(noun, verb.tail, verb.negated), context, past=verb.past)
    elif (verb.lemma in {"include", "involve"} and not verb.past) or verb.progressive:
        after_be = re.search(r"(?:\b(?:is|are)|'s) (?P<v>.+)", clause.text) if verb.progressive else None
        yield from stated(
            base, my_is(noun, after_be.group("v") if after_be else verb.tail, verb.negated), context
        )
    elif verb.lemma == "move" and (match := re.match(r"(?:over )?to (?P<v>.+)", verb.tail, _I)):
        attribute, at = values.place(match.group("v"))
        yield replace(
            base, predicate=f"{slug(noun)}_{attribute}", value=at, one=True, ended=False, rule="my-moved"
        )
    elif not verb.past and not verb.perfect and not verb.modal and verb.lemma in OF_THINGS | {"have"}:
        match = re.match(r"(?:(?P<p>in|at|on|to|with|for|from|as|of|up|by|into) )?(?P<v>.+)", verb.tail, _I)
        value = values.clean(match.group("v")) if match else ""
        if (
            match
            and value
            and (value.isalnum() or not values.is_vague(value))
            and len(slug(noun)) < 60
            and not values.is_vague(noun)
        ):
            label = slug(f"{noun} {third_person(verb.lemma)} {match.group('p') or ''}")
            yield replace(base, predicate=label, value=value, negative=verb.negated, rule="my-verb", confidence=0.75,
                          one=True if any(c.isdigit() for c in value) else None)  # fmt: skip


def stated(base: Draft, found: list[Stated], context: Context, *, past: bool = False) -> Iterator[Draft]:
    """Drafts of what "have" and "my X is" stated; a named pet or relative becomes a subject of its own."""
    for item in found:
        draft = replace(base, predicate=item.predicate, value=item.value, rule=item.rule, one=item.one or None, confidence=item.confidence,
                        negative=item.negative, ended=base.ended or past, scope=item.scope)  # fmt: skip
        if (
            item.rule in {"have", "have-none", "have-pet", "have-kin", "have-allergy", "my-hobby"}
            and not item.one
        ):
            draft = replace(draft, one=False)
        if item.rule in {"have-pet", "have-kin"} and not item.negative:
            _remember(item.value, context)
        if item.about:
            noun = lexicon.KIN.get(item.about.casefold(), item.about.casefold())
            draft = replace(
                draft, subject=context.own(noun, "person" if noun in lexicon.RELATION else "pet"), ended=False
            )
        yield draft


def _remember(value: str, context: Context) -> None:
    for word in value.casefold().split():
        if word in lexicon.PETS:
            context.remember(context.own(word, "pet"))
            return
        if word in lexicon.KIN:
            context.remember(context.own(lexicon.KIN[word], "person"))
            return


def _shape(shape: Shape, base: Draft, subject: Subject, verb: Verb, letter: str) -> Iterator[Draft]:
    if not (letter in shape.who or letter.casefold() in shape.who) or (
        verb.past and not verb.ended and shape.past in {"nothing", "event"}
    ):
        return
    if shape.name == "dislike-stand" and not (verb.negated and verb.modal == "can"):
        return
    if shape.name == "eat-only" and not verb.only:
        return
    if shape.name in {"like", "dislike"} and re.match(
        r"(?:those|these|that|this) (?!.*(?:called|named|[A-Z]))", verb.tail
    ):
        return
    match = shape.tail.fullmatch(values.keeps_words(verb.tail)) or shape.tail.fullmatch(
        verb.tail.strip(" .,!")
    )
    if not match:
        return
    groups = {key: (text or "").strip() for key, text in match.groupdict().items()}
    raw = groups.get("v", "")
    particle = groups.get("p", "")
    label = slug(shape.predicate.format(verb=third_person(verb.lemma), p=particle))
    ended = verb.ended or (verb.past and shape.past == "ended")
    negative = verb.negated != shape.negative if shape.name != "dislike-stand" else True
    for part in values.atoms(raw) if shape.atoms else [raw]:
        cleaned = values.clean(part) or part
        value = shape.value.format(
            v=cleaned, lemma=verb.lemma, mode=cleaned if raw else _MODES.get(verb.lemma, verb.lemma)
        ).strip()
        if shape.name == "moved-to" and (where := values.place(cleaned))[0] not in {
            "location",
            "street",
            "network",
        }:
            label, value = where
        numeric = values.number(value) is not None or any(c.isdigit() for c in value)
        if (
            (shape.check and not shape.check(cleaned))
            or not value
            or ("{v}" in shape.value and raw and values.is_vague(cleaned) and not numeric)
        ):
            continue
        scope = (
            scope_of(*shape.scope.format(o=values.clean(groups.get("o", ""))).split(":", 1))
            if shape.scope
            else ""
        )
        yield replace(base, predicate=label, value=value, rule=shape.name, one=shape.one or (False if letter in ANIMATE else None),
                      negative=negative and not ended, ended=ended, scope=scope, confidence=shape.confidence, value_entity=entity_value(value))  # fmt: skip
