"""A row of the table of shapes: what a clause with a given verb and tail states, with an example of its own.

A row is tried against the *tail* of a clause (what follows the verb); the first row that fits decides.
``who`` says which subjects
it takes: ``s`` the speaker, ``k`` a relative or pet of the speaker, ``n`` a name, ``t`` a thing. All
patterns are anchored and
match a tail of at most 320 characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from processors.extraction import lexicon, values

#: What the past tense of a shape means: the state ended, it still tells (education, birth), it is an
#: event, or nothing.
Past = Literal["ended", "holds", "event", "nothing"]
ANIMATE: Final = "skn"


@dataclass(frozen=True)
class Shape:
    """One way to state one predicate. ``value`` is a template over the pattern's groups; ``predicate``
    likewise, as a slug."""

    name: str
    example: str
    verbs: frozenset[str]
    tail: re.Pattern[str]
    predicate: str
    who: str = "skn"
    value: str = "{v}"
    one: bool = False
    atoms: bool = False
    negative: bool = False
    past: Past = "ended"
    check: Callable[[str], bool] | None = None
    scope: str = ""
    confidence: float = 0.9
    #: Leave the value's determiners ("in the army") where they are part of it.
    whole: bool = False


def verbs(text: str) -> frozenset[str]:
    return frozenset(text.split())


def pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def is_job(value: str) -> bool:
    """An occupation by its last word: a known word or a known ending, and none of the words that only look
    like one."""
    words = re.sub(r"\b(?:in|at|for|with|of|on|by|from|and|who|that)\b.*", "", value.casefold()).split()
    if (
        not words
        or words[-1] in lexicon.NOT_JOBS
        or words[-1] in lexicon.KIN.keys() - {"manager", "boss", "coach", "teacher", "doctor"}
        or words[-1] in lexicon.PETS
    ):
        return False
    known = {
        "nurse",
        "chef",
        "clerk",
        "pilot",
        "vet",
        "cook",
        "judge",
        "guard",
        "maid",
        "nanny",
        "intern",
        "agent",
        "attorney",
        "host",
        "dj",
        "model",
        "ceo",
        "cto",
        "lead",
        "head",
        "assistant",
        "scientist",
        "engineer",
        "rep",
        "representative",
        "coach",
        "mechanic",
        "athlete",
        "diplomat",
        "monk",
        "priest",
        "soldier",
        "spy",
        "waitress",
        "actress",
    }
    return words[-1] in known or (
        len(words[-1]) > 4 and words[-1].endswith(("er", "or", "ist", "ian", "man", "woman", "eer"))
    )


def is_diet(value: str) -> bool:
    return value.casefold() in lexicon.DIETS


def is_nationality(value: str) -> bool:
    return value.casefold() in lexicon.NATIONALITIES


def is_timezone(value: str) -> bool:
    return values.timezone(value) is not None


def is_trait(value: str) -> bool:
    """An adjective that says something lasting: at most three words, no mood, no judgement on something else."""
    words = value.casefold().split()
    known = words[0] not in lexicon.MOODS and not words[0].endswith("ing")
    return bool(words) and len(words) <= 3 and known and words[0] not in {"not", "never"}


def is_language(value: str) -> bool:
    return any(word in lexicon.LANGUAGES for word in value.casefold().split())


def is_instrument(value: str) -> bool:
    return any(word in lexicon.INSTRUMENTS for word in value.casefold().split())


def likeable(value: str) -> bool:
    """Not the look of what the listener just showed, nor a mere way of doing."""
    return value.casefold().split()[0] not in lexicon.OF_A_PICTURE
