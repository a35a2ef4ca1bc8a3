"""The form of a text that decides whether two texts are the same: for every script, without accidents.

Case, width, punctuation and the amount of space make no difference; letters, marks, digits and symbols of every
script do. Signs that carry meaning inside a word or a number are kept: ``C#`` is not ``C``, ``1.5`` not ``15``.
"""

import unicodedata
from functools import lru_cache
from hashlib import sha256

#: The longest form kept as it is; a longer one is cut and a digest of the whole is added (Postgres refuses
#: index rows over a third of a page, 2,704 bytes, and a letter takes up to 4).
MAX_FORM = 400
_KEPT_OF_FORM = 160

#: Punctuation that makes a word another word.
_SIGNS = frozenset("#%&@*")
#: Between two digits these are part of the number.
_IN_NUMBERS = frozenset(".,:/")
#: Dropped without a gap: "don't" is "dont".
_APOSTROPHES = frozenset("'’‘ʼ＇`´")
#: Marks that choose between the text and the colour form of a symbol.
_VARIATIONS = frozenset(map(chr, range(0xFE00, 0xFE10)))
#: Tag characters tell the flags of England and Scotland apart; other format characters are invisible.
_TAGS = range(0xE0020, 0xE0080)

ARTICLES = ("the ", "an ", "a ")


def clean(text: str, limit: int = 4096) -> str:
    """`text` as it can be stored: no control characters, no lone surrogates, at most `limit` characters."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    plain = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text)
    return plain.strip()[:limit].strip()


def fold(text: str) -> str:
    """`text` in compatibility form and without case (Unicode 3.13, toNFKC_Casefold), stable when repeated."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", folded.casefold())


@lru_cache(maxsize=8192)
def form(text: str, joiner: str = "-") -> str:
    """The comparable form of `text`, words joined by `joiner`; only empty for a text without any sign.

    Equal for texts that differ in case, width, punctuation or space alone. A text of punctuation only becomes a
    digest, a form over ``MAX_FORM`` characters is cut and gets a digest.
    """
    words = joiner.join(_spell(fold(clean(text))).split())
    if not words and text.strip():
        return "~" + digest(fold(clean(text)))
    if len(words) > MAX_FORM:
        return words[:_KEPT_OF_FORM] + "~" + digest(words, 32)
    return words


def without_article(text: str) -> str:
    """`text` without a leading English article, unless nothing would be left."""
    lowered = text.lower()
    for article in ARTICLES:
        if lowered.startswith(article) and text[len(article) :].strip():
            return text[len(article) :].strip()
    return text


def digest(text: str, length: int = 16) -> str:
    """Hexadecimal SHA-256 of `text`, cut to `length`."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:length]


def _spell(folded: str) -> str:
    """Every character either itself, a gap, or nothing."""
    out: list[str] = []
    for place, char in enumerate(folded):
        before = folded[place - 1] if place else " "
        after = folded[place + 1] if place + 1 < len(folded) else " "
        out.append(_spelled(char, before, after))
    return "".join(out)


def _spelled(char: str, before: str, after: str) -> str:
    if char in _APOSTROPHES:
        return ""
    if char in _VARIATIONS:
        return ""
    if char in _SIGNS:
        return char
    if char in _IN_NUMBERS and _digit(before) and _digit(after):
        return char
    if char in "-\u2212" and _digit(after) and before.isspace():
        return "-"
    if char in "~^¨\u2212":
        return " "
    kind = unicodedata.category(char)
    if kind == "Cf":
        return char if ord(char) in _TAGS else ""
    if kind[0] in "ZP" or kind == "Cc":
        return " "
    return char


def _digit(char: str) -> bool:
    return unicodedata.category(char) == "Nd"
