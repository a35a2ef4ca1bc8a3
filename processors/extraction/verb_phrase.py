"""From what follows a subject to its verb: tense, negation, modality, the verb's base form and the rest
(the *tail*)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from processors.extraction.verbs import FORMS

_WORD: Final = re.compile(r"[^\s,]+")
_BE: Final = frozenset(
    "am is are was were be been being 'm 's 're m re isn't aren't wasn't weren't ain't isnt arent wasnt".split()
)
_PAST_BE: Final = frozenset("was were wasn't weren't wasnt been".split())
_HAVE: Final = frozenset("have has had 've ve haven't hasn't hadn't havent hasnt".split())
_DO: Final = frozenset("do does did don't doesn't didn't dont doesnt didnt don".split())
_CAN: Final = frozenset("can cannot can't cant".split())
_WILL: Final = frozenset("will 'll won't shall wont".split())
_OTHER_MODAL: Final = frozenset(
    "could would may might must should 'd couldn't wouldn't shouldn't mustn't".split()
)
_NEGATIVE: Final = frozenset("not never cannot cant dont doesnt didnt isnt havent wont wasnt t n't".split())
_ADVERBS: Final = frozenset(
    """also really just always often usually still currently now actually absolutely definitely recently
    finally sometimes mostly especially mainly totally truly simply generally regularly already
    originally basically literally honestly frequently typically normally occasionally lately primarily
    genuinely quite very even both all personally deeply strongly officially kinda sorta particularly
    ever proudly happily secretly specifically only once newly probably presumably apparently likely
    certainly""".split()
)
_ENDED_ADVERBS: Final = frozenset("formerly previously".split())
#: "I rarely eat meat" is neither yes nor no.
_DOUBTFUL: Final = frozenset("rarely hardly barely seldom scarcely".split())
#: "I am going to college" is no plan.
_PLACES: Final = frozenset("college school university church work bed the a an my".split())
#: Participles that look like the base form.
_PARTICIPLES: Final = frozenset("been had read cut hurt quit run become".split())


@dataclass(frozen=True)
class Verb:
    """A clause's verb, read: ``lemma`` (``be``, ``have`` and ``do`` included) and what stands around it.

    ``form`` is that of the verb itself (``base``, ``s``, ``ing``, ``past``); ``modal`` is ``can``, ``will``, ``plan``
    ("going to"), ``wish`` ("would like to") or empty.
    """

    lemma: str
    tail: str
    form: str = "base"
    negated: bool = False
    ended: bool = False
    past: bool = False
    perfect: bool = False
    progressive: bool = False
    modal: str = ""
    only: bool = False


class _Word(NamedTuple):
    text: str
    start: int


@dataclass
class _Chain:
    """What the auxiliaries read so far say."""

    negated: bool = False
    ended: bool = False
    past: bool = False
    perfect: bool = False
    modal: str = ""
    only: bool = False
    be: bool = False
    do: bool = False

    def verb(
        self, lemma: str, tail: str, form: str = "base", *, past: bool = False, progressive: bool = False
    ) -> Verb:
        return Verb(
            lemma,
            tail,
            form,
            self.negated,
            self.ended,
            past,
            self.perfect,
            progressive,
            self.modal,
            self.only,
        )


def read_verb(text: str) -> Verb | None:
    """Reads the start of ``text`` (what follows the subject); None when no known verb is there, or only a
    doubtful one."""
    words = _words(text)
    chain = _Chain()
    for index in range(min(len(words), 10)):
        step = _auxiliary(chain, words, index)
        if step == "next":
            continue
        return None if step == "none" else _main(chain, text, words, index)
    return None


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        clitic = re.fullmatch(r"(\w+)('m|'re|'ve|'ll|'d|'s)", word) if not found else None
        if clitic:
            middle = match.start() + len(clitic.group(1))
            found += [_Word(clitic.group(1), match.start()), _Word(clitic.group(2), middle)]
        else:
            found.append(_Word(word, match.start()))
    return found


def _auxiliary(chain: _Chain, words: list[_Word], index: int) -> str:
    """Takes one word into the chain: ``next`` when it was an auxiliary, ``main`` when the verb is here,
    ``none`` to give up."""
    word = words[index].text
    rest = [w.text for w in words[index + 1 : index + 6]]
    following = next((w for w in rest if w not in _ADVERBS and w not in _NEGATIVE | {"no", "longer"}), "")
    if word in _NEGATIVE or word.endswith("n't"):
        chain.negated = True
    if word in _ADVERBS or word in {"not", "never", "n't", "t"}:
        chain.only |= word == "only"
        return "next"
    if (
        word in _ENDED_ADVERBS
        or (word == "no" and rest[:1] == ["longer"])
        or (word == "used" and rest[:1] == ["to"] and not chain.be)
    ):
        chain.ended = True
        return "next"
    if chain.ended and word in {"longer", "to"}:
        return "next"
    if word in _DOUBTFUL:
        return "none"
    if word in _OTHER_MODAL:
        chain.modal = "wish"
        return "next" if word in {"would", "'d"} and following in {"like", "love", "prefer"} else "none"
    return _tense(chain, word, rest, following)


def _tense(chain: _Chain, word: str, rest: list[str], following: str) -> str:
    if word in _BE and not chain.be and not chain.do:
        chain.be, chain.past = True, chain.past or word in _PAST_BE
        return "next" if rest else "none"
    if word in _HAVE and not (chain.be or chain.do or chain.perfect):
        form = FORMS.get(following)
        participle = following in _PARTICIPLES or (form is not None and form.form == "past")
        if participle or word in {"'ve", "ve", "haven't", "hasn't"}:
            chain.perfect = True
            return "next"
        return "main"
    if word in _DO and not chain.do and following in FORMS and FORMS[following].form == "base":
        chain.do, chain.past = True, word.startswith("did")
        return "next"
    if word in _CAN | _WILL:
        chain.modal = "can" if word in _CAN else "will"
        return "next"
    if chain.be and word in {"been", "be", "being"} and rest:
        return "next"
    return "main"


def _main(chain: _Chain, text: str, words: list[_Word], index: int) -> Verb | None:
    """The verb at ``index``, with the chain before it."""
    word, start = words[index]
    rest = [w.text for w in words[index + 1 :]]
    tail = text[words[index + 1].start :] if rest else ""
    form = FORMS.get(word)
    if chain.be:
        going = word in {"going", "about"} and rest[:1] == ["to"] and len(rest) > 1 and rest[1] not in _PLACES
        if going or (word == "gonna" and rest):
            chain.modal = "plan"
            return chain.verb("plan", text[words[index + 2].start :] if going else tail)
        past = chain.past and not chain.perfect
        if form and form.form == "ing":
            return chain.verb(form.lemma, tail, "ing", past=past, progressive=True)
        return chain.verb("be", text[start:], "past" if past else "base", past=past)
    if word in _HAVE:
        own = {"had": "past", "has": "s"}.get(word, "base")
        return chain.verb("have", tail, own, past=word == "had" and not chain.perfect)
    if form:
        return chain.verb(
            form.lemma, tail, form.form, past=chain.past or (form.form == "past" and not chain.perfect)
        )
    if word in _DO and not chain.negated and rest[:1] != ["not"]:
        return chain.verb("do", tail, past=word == "did")
    return chain.verb("do", tail, "past") if word == "done" and chain.perfect else None
