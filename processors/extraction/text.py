"""Cutting a message into sentences and clauses without ever losing the place in the original text.

All steps work on a *flat* text: the message with typographic variants of quotes, dashes and spaces
replaced one for one, so
that an offset into the flat text is an offset into the message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

#: A longer message is read to here only; what follows is log output or a document, not a plain statement.
MAX_MESSAGE: Final = 16_000
#: A longer sentence is not a plain statement.
MAX_SENTENCE: Final = 320

_FLAT: Final = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "´": "'",
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "„": '"',
        "–": "-",
        "—": "-",
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\u3000": " ",
        "\t": " ",
    }
)
_END: Final = re.compile(r"[.!?](?=[\s\"')\]]|$)[\"')\]]*|[.!?]{2,}|[。！？]|\n+|(?<=[\w)]) - (?=\w)|;\s")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|no|nr|approx|e\.g|i\.e|jr|sr|ave|rd|co|inc)|\b[a-z])\.$",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """A piece of the flat text, and the mark that ended it (``.``, ``!``, ``?`` or empty)."""

    start: int
    text: str
    mark: str

    def cut(self, start: int, end: int) -> Sentence:
        """The part of this sentence between two offsets into its text, blanks trimmed."""
        part = self.text[start:end]
        left = len(part) - len(part.lstrip(" ,:"))
        return Sentence(self.start + start + left, part.strip(" ,:"), self.mark)


def flat(text: str) -> str:
    """The text with typographic variants made plain, same length, at most MAX_MESSAGE characters."""
    return text[:MAX_MESSAGE].translate(_FLAT)


def normal(text: str) -> str:
    """NFKC with single blanks: how a value is written."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def slug(text: str) -> str:
    """A predicate label from words: case folded, letters and digits of any script, joined by ``_``."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "_".join(re.findall(r"[^\W_]+", folded.replace("'s ", " ").replace("'", "")))[:120]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a flat text, in order. A sentence over MAX_SENTENCE characters is left out."""
    start = 0
    for match in _END.finditer(text):
        mark = match.group().strip()[:1]
        if mark == "." and _ABBREVIATION.search(text, start, match.start() + 1) and match.end() < len(text):
            continue
        yield from _sentence(text, start, match.start(), _plain_mark(match.group()))
        start = match.end()
    yield from _sentence(text, start, len(text), "")


def _plain_mark(mark: str) -> str:
    for found, plain in (("?", "?"), ("？", "?"), ("!", "!"), ("！", "!"), ("-", "-"), (";", ";")):
        if found in mark:
            return plain
    return "."


def _sentence(text: str, start: int, end: int, mark: str) -> Iterator[Sentence]:
    piece = Sentence(start, text[start:end], mark).cut(0, end - start)
    if piece.text and len(piece.text) <= MAX_SENTENCE:
        yield piece
