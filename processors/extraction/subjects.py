"""Who or what a clause is about: the speaker, a relative of the speaker, a named third party, a thing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from processors.extraction import lexicon
from processors.extraction.text import normal, slug
from processors.extraction.verbs import EVENTS, FORMS
from schemas.facts import Mention

#: speaker, kin (a person or pet of the speaker), mine (a thing of the speaker), name, thing.
SubjectKind = Literal["speaker", "kin", "mine", "name", "thing"]
_I = re.IGNORECASE
_SPEAKER: Final = re.compile(r"(?:I|we|im(?=\s)|ive(?=\s))(?=['\s])", _I)
_BARE_M: Final = re.compile(r"(im|ive)\s", _I)
_MINE: Final = re.compile(r"(?:(?:both|all|one) (?:of )?)?(?:my|our) ", _I)
_THE: Final = re.compile(r"(?:the|this) ", _I)
_YOURS: Final = re.compile(r"your (?P<np>[\w ]{1,40}?) (?=is (?:now )?set to )", _I)
_PRONOUN: Final = re.compile(r"(he|she|they|it|his|her|its|their)(?=[\s'])", _I)
_NAME: Final = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[^\W\d_a-z][\w&'.-]*(?: (?:of |de |van |von |da |del )?[^\W_a-z][\w&.-]*){0,4}"
)
_NOT_NAMES: Final = frozenset(
    """i i'm the a an my our your his her its their this that these those it he she they we you there here
    what when where why who how if so and but or not no yes all some most many every each both one two
    three people everyone everything nothing something someone anyone looks sounds feels seems glad hope
    hoping thanks wow love loving being having going getting can could would will may might must should
    do does did is are was were have has had on in at for to of with from by as like good great best
    nice sorry let just even still now then today monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december life
    work music nature art dance dancing dogs cats photos books time family friends kids balance money
    health nothing growing definitely absolutely bet things moments pets concerts setbacks flowers
    little because since while although though after before during until""".split()
)
_STOPS: Final = frozenset(
    """is are was were 's am has have had do does did don't doesn't didn't will can can't cannot could
    would should may might isn't aren't wasn't weren't hasn't haven't used also now currently still
    never always just recently no""".split()
)
_PLURAL: Final = frozenset(
    "parents kids children family people folks friends siblings grandparents grandchildren grandkids".split()
)


@dataclass(frozen=True)
class Subject:
    """``mention`` is what a fact is about; ``noun`` the head of "my X" / "the X"; ``end`` where the verb
    part begins."""

    kind: SubjectKind
    mention: Mention
    end: int
    noun: str = ""
    #: A name behind the noun ("my sister Ada").
    name: str = ""
    #: A count in front of the noun ("my two sons").
    count: str = ""
    words: str = ""


@dataclass
class Context:
    """What a message has named so far: who speaks, and what "he", "she", "they" can mean."""

    speaker: Mention
    people: list[Mention] = field(default_factory=list)

    def own(self, noun: str, type_: str) -> Mention:
        """A relative, pet or thing of the speaker: the name carries the speaker's, so that two users' dogs
        stay apart."""
        return Mention(text=f"{self.speaker.entity or self.speaker.text}'s {noun}"[:512], type=type_)

    def remember(self, mention: Mention) -> None:
        if mention.type in {"person", "pet"} and mention not in self.people:
            self.people.append(mention)


_FRAGMENT: Final = re.compile(
    r"(?:loves?|likes|loving|hates?|enjoys|prefer|prefers) (?!(?:you|your|that|this|it"
    r"|the (?:idea|way|sound|look))\b)",
    _I,
)


#: "Max and I went ...": a we.
_AND_I: Final = re.compile(
    r"(?:(?:my|our) [\w' ]{1,30}?|me|(?-i:[A-Z][\w'-]+)(?:, (?-i:[A-Z][\w'-]+))?),? and (?:i|my \w+) (?=[a-z'])",
    _I,
)


def _is_told_without_i(text: str) -> bool:
    """ "Lost my job yesterday", "Been reading X": no "I". An order is never in the past tense."""
    first, _, rest = text.partition(" ")
    form = FORMS.get(first.casefold())
    if first.casefold() == "been":
        return bool(re.match(r"\w+ing ", rest))
    past = (
        form is not None
        and form.form == "past"
        and form.lemma in EVENTS
        and FORMS.get(form.lemma) is not None
    )
    return (
        past
        and form is not None
        and form.lemma != first.casefold()
        and bool(re.match(r"(?:a|an|my|our|the|to|some|on|for|\d+) \w", rest))
    )


def read_subject(text: str, context: Context) -> Subject | None:
    """The subject at the start of a clause, or None when it names nothing that facts can be about."""
    match = _SPEAKER.match(text)
    if match:
        bare = _BARE_M.match(text)
        return Subject("speaker", context.speaker, 1 if bare else match.end())
    if _FRAGMENT.match(text) or _is_told_without_i(text):
        return Subject("speaker", context.speaker, 0)
    together = _AND_I.match(text)
    if together:
        return Subject("speaker", context.speaker, together.end())
    match = _YOURS.match(text)
    if match:
        return Subject("mine", context.speaker, match.end(), match.group("np"), words=match.group())
    match = _MINE.match(text)
    if match:
        return _mine(text, match.end(), context)
    match = _PRONOUN.match(text)
    if match:
        return _pronoun(match, text, context)
    match = _THE.match(text)
    if match:
        return _thing(text, match.end(), context)
    return _named(text, context)


def _phrase(text: str, start: int, limit: int = 5) -> tuple[str, int] | None:
    """The noun phrase from ``start`` up to the verb, and where the verb begins."""
    words = list(re.finditer(r"[^\s,]+", text[start : start + 120]))
    for index, word in enumerate(words[: limit + 1]):
        low = word.group().casefold()
        if index and (low in _STOPS or _verb_like(low, words[index - 1].group().casefold(), index)):
            return normal(text[start : start + word.start()]), start + word.start()
        if low.endswith("'s") and index + 1 < len(words) and index >= 0:
            following = words[index + 1].group().casefold()
            if following not in _STOPS and not (
                following in FORMS and FORMS[following].form in {"s", "past"}
            ):
                if _is_copula(low[:-2], following):
                    return normal(text[start : start + word.end() - 2]), start + word.end() - 2
    return None


def _is_copula(owner: str, following: str) -> bool:
    """ "name's Coco", "mom's a nurse": an 's after a noun that ends the subject."""
    return owner in {"name", "favorite", "favourite"} or following in {
        "a",
        "an",
        "the",
        "in",
        "from",
        "not",
        "called",
        "named",
    }


def _verb_like(word: str, before: str, index: int) -> bool:
    form = FORMS.get(word)
    if form is None or before in {"favorite", "favourite", "best", "new", "old"}:
        return False
    if form.form in {"s", "past"}:
        return not (word in {"plays", "runs", "drinks", "drives", "works"} and before in {"favorite"})
    return form.form == "base" and (
        before in _PLURAL or (before.endswith("s") and not before.endswith(("ss", "'s")))
    )


def _mine(text: str, start: int, context: Context) -> Subject | None:
    found = _phrase(text, start)
    if not found:
        return None
    phrase, end = found[0].replace(",", ""), found[1]
    words = phrase.casefold().split()
    # "my wife and I": a we.
    if words[-2:] == ["and", "i"]:
        return Subject("speaker", context.speaker, end)
    count = next(
        (n for w in words[:2] if (n := lexicon.NUMBERS.get(w) or (w if w.isdecimal() else None))), ""
    )
    named = re.search(r" ([^\W\d_a-z][\w'-]+)$", phrase)
    if named and len(words) > 1 and words[-2] in lexicon.KIN.keys() | lexicon.PETS.keys():
        words, phrase = words[:-1], phrase[: named.start()]
    else:
        named = None
    last = words[-1].removesuffix("'s")
    if last in lexicon.KIN and "and" not in words and "name" not in words:
        plain = [w for w in words[:-1] if w not in lexicon.NUMBERS and not w.isdecimal() and w in _KIN_KEPT]
        noun = " ".join([*plain, lexicon.KIN[last]])
        mention = context.own(noun, "person")
        context.remember(mention)
        return Subject("kin", mention, end, lexicon.KIN[last], named.group(1) if named else "", count, phrase)
    if last in lexicon.PETS and "and" not in words:
        mention = context.own(last, "pet")
        context.remember(mention)
        return Subject("kin", mention, end, last, named.group(1) if named else "", count, phrase)
    several = "one of " if re.match(r"(?:one|some)\b", text, _I) else ""
    return Subject("mine", context.speaker, end, several + phrase, "", count, phrase)


_KIN_KEPT: Final = frozenset(
    "best older oldest younger youngest little big eldest elder twin half step late "
    "middle second first ex mother father in-law".split()
)


def _pronoun(match: re.Match[str], text: str, context: Context) -> Subject | None:
    word = match.group(1).casefold()
    if word == "it" or len(context.people) != 1:
        return None
    mention = context.people[0]
    if word in {"his", "her", "its", "their"}:
        named = re.match(r"\s*name(?=(?:'s| is)\b)", text[match.end() :], _I)
        return Subject("mine", mention, match.end() + named.end(), "name", words="name") if named else None
    return Subject("kin", mention, match.end(), mention.text) if mention.type in {"person", "pet"} else None


def _thing(text: str, start: int, context: Context) -> Subject | None:
    found = _phrase(text, start, 4)
    if not found:
        return None
    phrase, end = found
    if re.search(
        r",|\b(?:of|in|on|at|from|with|for|and|that|i|we|you|most|best|only|first|same|other|one)\b",
        phrase,
        _I,
    ):
        return None
    return Subject("thing", thing_mention(phrase), end, phrase.split()[-1].casefold(), words=phrase)


def thing_mention(phrase: str) -> Mention:
    """A thing as named: "service ledger" is the service *ledger*, "the hall printer" the printer *hall printer*."""
    plain = re.sub(r"^(?:the|a|an|this|our|my) ", "", normal(phrase), flags=_I)[:512] or "thing"
    words = plain.split()
    first, last = words[0].casefold(), words[-1].casefold()
    if len(words) > 1 and first in lexicon.TYPE_ONLY and last not in lexicon.ENTITY_TYPES - lexicon.TYPE_ONLY:
        return Mention(text=" ".join(words[1:]), type=first)
    if len(words) > 1 and last in lexicon.TYPE_ONLY:
        return Mention(text=" ".join(words[:-1]), type=last)
    if last not in lexicon.ENTITY_TYPES:
        return Mention(text=plain, type="thing")
    return Mention(text=plain if len(words) > 1 else last, type=last)


def _named(text: str, context: Context) -> Subject | None:
    """A name or a typed noun in front of its verb: "Dana leads ...", "service ledger runs ...", "backups
    run ..."."""
    first = text.split(" ", 1)[0].casefold()
    if (
        first in _NOT_NAMES
        or (first.endswith("ing") and first not in FORMS)
        or first.rstrip("',") in _NOT_NAMES
        or first.split("'")[0] in _NOT_NAMES
    ):
        return None
    speaker_names = {
        context.speaker.text.casefold(),
        (context.speaker.entity or "").rsplit(":", 1)[-1].casefold(),
    }
    found = _phrase(text, 0, 5)
    if not found:
        return None
    phrase, end = found
    if first in speaker_names and phrase.casefold() == first:
        return Subject("speaker", context.speaker, end)
    words = phrase.split()
    if "," in phrase or (FORMS.get(first) and FORMS[first].form == "ing"):
        return None
    if words[0].casefold() in lexicon.ENTITY_TYPES or (
        len(words) <= 3 and words[-1].casefold() in lexicon.ENTITY_TYPES | lexicon.ATTRIBUTES
    ):
        return Subject("thing", thing_mention(phrase), end, words[-1].casefold(), words=phrase)
    verb = re.match(r"\S+", text[end:])
    form = FORMS.get(verb.group().casefold()) if verb else None
    if (
        len(words) == 1
        and first.endswith("s")
        and first.isalpha()
        and not first.endswith("ss")
        and form
        and form.form == "base"
    ):
        return Subject("thing", Mention(text=first, type="thing"), end, first, words=phrase)
    if _NAME.fullmatch(phrase) and not any(word.casefold() in _NOT_NAMES for word in words):
        type_ = "org" if len(words) == 1 and phrase.isupper() and len(phrase) > 2 else "person"
        mention = Mention(text=phrase, type=type_)
        context.remember(mention)
        return Subject("name", mention, end, words=phrase)
    if len(words) == 1 and first.endswith("s") and first.isalpha():
        return Subject("thing", Mention(text=first, type="thing"), end, first, words=phrase)
    return None


def attribute_of(phrase: str) -> tuple[str, str] | None:
    """ "ticket state" -> ("ticket", "state") where the last word is an attribute of what stands before it."""
    words = phrase.split()
    owner = [w.removesuffix("'s") for w in words[:-1]]
    if len(words) > 1 and slug(words[-1]) in lexicon.ATTRIBUTES:
        return " ".join(owner), words[-1].casefold()
    return None
