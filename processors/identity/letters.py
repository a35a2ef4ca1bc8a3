"""Letters: which two spellings are one word, and texts in scripts without spaces.

Marks are dropped only in scripts where people leave them out when they type (Latin, Greek, the vowel signs of Arabic
and Hebrew). Elsewhere a mark is a letter: が is not か, й is not и, ต้า is not ตา.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

#: Letters that Unicode does not take apart.
_BASE: Final = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ħ": "h",
        "ŧ": "t",
        "ё": "е",
    }
)
#: The other way to write them: German and the Nordic languages.
_DIGRAPHS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
#: Vowel points of Hebrew and Arabic, and the Arabic stretching sign: optional in writing.
_OPTIONAL: Final = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670\u0640]")
_MARKED: Final = ("LATIN", "GREEK")
#: Written without spaces between the parts of a name: Han, kana, Hangul.
_UNSPACED: Final = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f]+"
)


@lru_cache(maxsize=16384)
def plain(word: str) -> tuple[str, str]:
    """What `word` (a form) becomes when its marks are left out, and with digraphs for them; itself when it has none."""
    bare = _OPTIONAL.sub("", word)
    return _unmarked(bare.translate(_BASE)), _unmarked(bare.translate(_DIGRAPHS).translate(_BASE))


def alike(one: str, other: str) -> bool:
    """Whether two forms are one word: equal, or one is the other without marks. "bjorn" is "björn", "bjørn" is not."""
    return one == other or one in plain(other) or other in plain(one)


def all_alike(some: str, others: str) -> bool:
    """`alike`, word for word, of two forms joined by dashes."""
    if some == others:
        return True
    left, right = some.split("-"), others.split("-")
    return len(left) == len(right) and all(map(alike, left, right))


def unspaced(text: str) -> bool:
    """Whether all of `text` but its spaces is Han, kana or Hangul."""
    return bool(_UNSPACED.fullmatch("".join(text.split())))


@lru_cache(maxsize=16384)
def script_of(text: str) -> str:
    """``LATIN``, ``CYRILLIC``, ... of its first letter, Han, kana and Hangul as ``CJK``; empty without a letter."""
    for char in text:
        if char.isalpha():
            return "CJK" if _UNSPACED.match(char) else unicodedata.name(char, "").split(" ", 1)[0]
    return ""


def _unmarked(text: str) -> str:
    out: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", text):
        if unicodedata.combining(char):
            if not base.startswith(_MARKED):
                out.append(char)
        else:
            base = unicodedata.name(char, "")
            out.append(char)
    return unicodedata.normalize("NFC", "".join(out))
