"""From a sentence to clauses, and from a clause to its verb: who, tense, negation, verb, and the rest (the *tail*)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from processors.extraction.text import Sentence
from processors.extraction.verbs import FORMS

_I = re.IGNORECASE
#: Words before a statement that are not part of it: greetings, "actually", "Correction:", a name in address.
_OPENER: Final = re.compile(
    r"(?:(?:hi|hey|hello|dear|yo|thanks|thank you|wow|yeah|yep|yes|yup|no(?=[,!])|nope|well|oh|ah|aw|aww|so|and|but|also|plus|actually|anyway"
    r"|anyways|btw|by the way|honestly|frankly|look|ok|okay|sure|definitely|absolutely|totally|true|right|cool|nice|great|congrats"
    r"|correction|update|edit|fyi|noted from [a-z ]{3,30}|note|noted|checked|confirmed|reminder|news|fact|for the record|in fact|as of now|of course|sorry"
    r"|wait|oops|unfortunately|fortunately|luckily|sadly|currently|nowadays|these days|lately|recently|now|today|basically"
    r"|personally|to be honest|tbh|as for me|for me|me too|same here|haha|hah|hmm|mmm|um|uh|woohoo|yay|guess what|as you know"
    r"|again|first|finally|overall|in general|sometimes|usually|often|as i (?:said|mentioned)"
    r"|because|since|cause|too|still|then|once|meanwhile|besides|additionally|moreover|though|i mean|you know|quick (?:update|note)"
    r"|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|the weekends)"
    r"|(?:in|at) (?:the )?(?:summer|winter|spring|fall|autumn|mornings?|evenings?|nights?|my (?:spare|free) time)|at night|every \w+"
    r"|(?:last|this) (?:week|weekend|month|year|night|summer|winter|\w+day)|yesterday|this morning|a few \w+ ago|growing up)\b"
    r"(?: there| all| everyone| again)?"
    r"(?:,? (?!I\b)[A-Z][a-z]+(?=[,!.]))?\s*(?:[,:!]+|-)?\s+"
    r"|[A-Z][a-z]+, (?=(?:i|we|my|i'm|i've|it's)\b)|#+ |[*-] |\(?\d{1,2}[.)] )",
    _I,
)
_SUBORDINATE: Final = re.compile(
    r",? (?:when|whenever|while|whilst|if|unless|until|till(?! \d)|although|though|even though|even if|before(?= \w+ing|\s(?:i|we|he|she|it|they)\b)|after(?= \w+ing|\s(?:i|we)\b)"
    r"|so that|in order to|because of|due to|thanks to|as (?=(?:i|we|it|he|she|they|long|soon|well as my)\b)|except|than(?= (?:i|he|she|they|we)\b)"
    r"|whereas|which|who(?= )|whose|where|that(?= (?:i|we|is|are|was|has|have|he|she|they|it|you|can|will|my|helps?|makes?|lets?)\b)"
    r"|since(?= (?:i|we|he|she|they|the|my|last|\d))|to the point|even (?=on|in|when)|not to mention|but not)\b",
    _I,
)  # fmt: skip
#: Where a new clause begins inside a sentence.
_BOUNDARY: Final = re.compile(
    r",? (?:and|but|so|or|because|cause|plus|yet|also) (?=(?:i|we|i'm|i've|im|my|our|he|she|it|they|he's|she's|it's|they're|we're|we've"
    r"|you|you're|your|his|her|their|this|that|that's|there|the [a-z]+ (?:is|are|was|has))\b)"
    r"|, (?=(?:i|we|i'm|i've|im|my|our|he|she|it|they|he's|she's|it's|you|you're|your|that's|this|that|there|the [a-z]+ (?:is|are|was|has))\b)"
    r"|,? but (?!not\b)|; |: (?=(?:i|my|we)\b)|\s-\s|\.\.\.?\s?",
    _I,
)  # fmt: skip
#: "... and hate vegetables": a second verb with the same subject.
_SECOND_VERB: Final = re.compile(
    r",? (?:and|then|and then|and also|and now|and currently|and am|or) (?=(?:am|is|are|was|were|have|has|love|loves|like|likes|hate|hates|enjoy|enjoys|live|lives|work|works"
    r"|own|owns|play|plays|drive|drives|speak|speaks|eat|eats|drink|drinks|prefer|prefers|want|study|studies|teach|teaches|do|does|don't"
    r"|doesn't|can|can't|cannot|never|used to|would like|moved|went|got|bought|use|uses|collect|dislike|go|make|read|write|sing|run|need"
    r"|graduated|lived|worked|had|met|took|started|finished|won|adopted|visited|made|joined|sold|quit|roasted|also|recorded|lost|even|"
    r"volunteer|watch|wear|listen|currently|now|just|always|dropped|sell|named|keep|keeps) )",
    _I,
)  # fmt: skip
_WORD: Final = re.compile(r"[^\s,]+")
_BE: Final = frozenset(
    "am is are was were be been being 'm 's 're m re isn't aren't wasn't weren't ain't isnt arent wasnt".split()
)
_PAST_BE: Final = frozenset("was were wasn't weren't wasnt been".split())
_HAVE: Final = frozenset("have has had 've ve haven't hasn't hadn't havent hasnt".split())
_DO: Final = frozenset("do does did don't doesn't didn't dont doesnt didnt don".split())
_CAN: Final = frozenset("can cannot can't cant".split())
_WILL: Final = frozenset("will 'll won't shall wont".split())
_OTHER_MODAL: Final = frozenset("could would may might must should 'd couldn't wouldn't shouldn't".split())
_ADVERBS: Final = frozenset(
    """also really just always often usually still currently now actually absolutely definitely recently finally sometimes mostly
    especially mainly totally truly simply generally regularly already originally basically literally honestly frequently typically
    normally occasionally lately primarily genuinely quite very even both all personally deeply strongly officially kinda sorta
    particularly ever proudly happily secretly specifically only once newly probably presumably apparently likely certainly""".split()
)
_ENDED_ADVERBS: Final = frozenset("formerly previously".split())
_DOUBTFUL: Final = frozenset("rarely hardly barely seldom scarcely".split())


@dataclass(frozen=True)
class Verb:
    """A clause's verb, read: ``lemma`` (``be``, ``have`` and ``do`` included) and what stands around it."""

    lemma: str
    tail: str
    #: Offset of the tail in the text that was read.
    at: int
    form: str = "base"
    negated: bool = False
    ended: bool = False
    past: bool = False
    perfect: bool = False
    progressive: bool = False
    modal: str = ""
    only: bool = False


def strip_openers(sentence: Sentence) -> Sentence:
    """The sentence without greetings, connectives and names in address before the statement."""
    for _ in range(4):
        match = _OPENER.match(sentence.text)
        if not match or match.end() >= len(sentence.text):
            return sentence
        sentence = sentence.cut(match.end(), len(sentence.text))
    return sentence


def clauses(sentence: Sentence) -> Iterator[tuple[Sentence, bool]]:
    """The clauses in order, each with whether it shares the subject of the one before ("... and hate X")."""
    for part in _cut(sentence, _BOUNDARY):
        part = strip_openers(part)
        match = _SUBORDINATE.search(part.text)
        main = part.cut(0, match.start()) if match and match.start() > 0 else part
        # "like to swim and listen to music" is one list, not two statements.
        listed = re.match(r"\S+ (?:\S+ ){0,3}to \w+", main.text)
        pieces = [main] if listed or re.search(r"\byou\b", main.text, _I) else list(_cut(main, _SECOND_VERB))
        for index, piece in enumerate(pieces):
            if piece.text:
                yield piece, index > 0


def _cut(sentence: Sentence, pattern: re.Pattern[str]) -> Iterator[Sentence]:
    start = 0
    for match in pattern.finditer(sentence.text):
        if match.start() > start:
            yield sentence.cut(start, match.start())
        start = match.end()
    yield sentence.cut(start, len(sentence.text))


def _words(text: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        clitic = (
            re.match(r"(\w+)('m|'re|'ve|'ll|'d|'s)$", word)
            if not found and not word.startswith("'")
            else None
        )
        if clitic:
            found.append((clitic.group(1), match.start(), match.start() + len(clitic.group(1))))
            found.append((clitic.group(2), match.start() + len(clitic.group(1)), match.end()))
        else:
            found.append((word, match.start(), match.end()))
    return found


def read_verb(text: str) -> Verb | None:
    """Reads auxiliaries, adverbs and the verb at the start of ``text`` (what follows the subject)."""
    words = _words(text)
    negated = ended = past = perfect = be = only = done = False
    modal = ""
    for index, (word, start, end) in enumerate(words[:10]):
        rest = [w for w, _, _ in words[index + 1 : index + 6]]
        following = next(
            (w for w in rest if w not in _ADVERBS and w not in {"not", "never", "no", "longer"}), ""
        )
        tail_at = words[index + 1][1] if index + 1 < len(words) else len(text)
        if word.endswith("n't") or word in {
            "not",
            "never",
            "cannot",
            "cant",
            "dont",
            "doesnt",
            "didnt",
            "isnt",
            "havent",
            "wont",
            "t",
        }:
            negated = True
        if word in {"not", "never", "n't", "t"} or word in _ADVERBS:
            only |= word == "only"
            continue
        if word in _ENDED_ADVERBS:
            ended = True
        elif word == "no" and rest[:1] == ["longer"]:
            ended = True
        elif word == "longer" and ended:
            continue
        elif word in _DOUBTFUL or word in _OTHER_MODAL:
            if word in {"would", "'d"} and following in {"like", "love", "prefer"}:
                modal = "wish"
                continue
            return None
        elif word in _BE and not be and not done:
            be, past = True, past or word in _PAST_BE
            if not rest:
                return None
        elif word in _HAVE and not be and not done and not perfect:
            past_form = FORMS.get(following)
            if (
                following in {"been", "had"}
                or (past_form and past_form.form == "past")
                or word in {"'ve", "ve", "haven't", "hasn't"}
            ):
                perfect = True
            else:
                form_of = {"had": "past", "has": "s"}.get(word, "base")
                return Verb("have", text[tail_at:], tail_at, form_of, negated, ended, word == "had",
                            modal=modal, only=only)  # fmt: skip
        elif word in _DO and not done and (following in FORMS and FORMS[following].form == "base"):
            done, past = True, word.startswith("did")
        elif word in _CAN:
            modal = "can"
        elif word in _WILL:
            modal = "will"
        elif word == "used" and rest[:1] == ["to"] and not be:
            ended = True
        elif word == "to" and ended:
            continue
        elif (
            be
            and word in {"going", "gonna", "about"}
            and (rest[:1] == ["to"] or word == "gonna")
            and len(rest) > 1
        ):
            return Verb(
                "plan",
                text[words[index + (1 if word == "gonna" else 2)][1] :],
                tail_at,
                negated=negated,
                modal="plan",
            )
        elif be:
            return _after_be(text, words, index, negated, ended, past, perfect, modal)
        elif word in FORMS:
            form = FORMS[word]
            past = past or (form.form == "past" and not perfect)
            return Verb(
                form.lemma,
                text[tail_at:],
                tail_at,
                form.form,
                negated,
                ended,
                past,
                perfect,
                modal=modal,
                only=only,
            )
        elif word in _DO:
            return Verb(
                "do", text[tail_at:], tail_at, "base", negated, ended, word == "did", modal=modal, only=only
            )
        elif word == "done" and perfect:
            return Verb("do", text[tail_at:], tail_at, "past", negated, ended, False, True)
        else:
            return None
    return None


def _after_be(
    text: str,
    words: list[tuple[str, int, int]],
    index: int,
    negated: bool,
    ended: bool,
    past: bool,
    perfect: bool,
    modal: str,
) -> Verb | None:
    word, start, end = words[index]
    form = FORMS.get(word)
    tail_at = words[index + 1][1] if index + 1 < len(words) else len(text)
    if form and form.form == "ing":
        return Verb(
            form.lemma,
            text[tail_at:],
            tail_at,
            "ing",
            negated,
            ended,
            past and not perfect,
            perfect,
            True,
            modal,
        )
    if word in {"been", "be", "being"}:
        return _copula_again(text, words, index, negated, ended, perfect, modal)
    return Verb(
        "be",
        text[start:],
        start,
        "past" if past else "base",
        negated,
        ended,
        past and not perfect,
        perfect,
        modal=modal,
    )


def _copula_again(
    text: str,
    words: list[tuple[str, int, int]],
    index: int,
    negated: bool,
    ended: bool,
    perfect: bool,
    modal: str,
) -> Verb | None:
    """ "have been <adverb> X": what counts is the word after ``been``."""
    for step in range(index + 1, len(words)):
        if words[step][0] not in _ADVERBS:
            return _after_be(text, words, step, negated, ended, False, perfect, modal)
    return None
