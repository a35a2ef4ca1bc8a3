"""Countries, languages and places, by CLDR's names in several languages; no gazetteer.

A place is what stands before the country: ``place:DE:berlin`` for "Berlin, Germany", which lies within
``place:berlin`` (some Berlin) and ``country:DE``. States of the US, provinces of Canada and the nations of the UK
are regions between the two.
"""

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from babel import Locale
from babel.core import get_global

from processors.values.numbers import Typed
from processors.values.text import fold, form

#: Locales whose names are read; the first to claim a name keeps it.
_LOCALES: Final = (
    "en de es fr it pt nl pl ru uk cs sv da nb fi tr el he ar fa hi bn ur th vi id ja ko zh zh_Hant".split()
)
_LEAD: Final = re.compile(r"^(?:(?:in|at|from|to|the city of|downtown|the)\s+)+", re.IGNORECASE)
#: Language codes that are more often a word.
_WORDS: Final = frozenset("am an as be he is it my no or so to".split())
_SPLIT: Final = re.compile(r"\s*[,،、;(]\s*|\)\s*")


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(files("processors.values").joinpath("places.json").read_text("utf-8"))
    return loaded


def country(text: str) -> Typed | None:
    """``country:DE`` for Germany, Deutschland, ドイツ, DE or DEU (codes in capitals)."""
    code = _country_code(text)
    return None if code is None else (f"country:{code}", ())


def language(text: str) -> Typed | None:
    """``language:de``; a variety lies within its language (``language:pt_BR``)."""
    said = re.sub(r"\s+language$", "", fold(text).strip(" ."))
    code = _languages().get(said)
    if code is None and said in Locale("en").languages and said not in _WORDS:
        code = said
    if code is None:
        return None
    return f"language:{code}", ((f"language:{code.split('_')[0]}",) if "_" in code else ())


def place(text: str) -> Typed | None:
    """The most precise part with what contains it; None for a text that names no place (digits, a sentence)."""
    said = _LEAD.sub("", " ".join(text.split()).strip(" ."))
    parts = [part for part in _SPLIT.split(said) if part]
    if not parts or len(parts) > 5 or len(said) > 120 or any(len(part.split()) > 6 for part in parts):
        return None
    if not any(char.isalpha() for char in parts[0]):
        return None
    alias = _data()["city_aliases"].get(fold(said))
    if alias:
        name, region, country_ = alias
        return f"place:{region}:{form(name)}", (
            f"place:{form(name)}",
            f"place:{region}",
            f"country:{country_}",
        )
    return _contained(parts)


def _contained(parts: list[str]) -> Typed:
    holder = _holder(parts[-1], parts[0] if len(parts) > 1 else None)
    if holder is None:
        names = [form(part) for part in parts]
        whole = "place:" + ":".join(reversed(names))
        return whole, tuple(f"place:{name}" for name in dict.fromkeys(names)) if len(names) > 1 else ()
    inner = parts[:-1]
    if len(holder) == 1 and inner and (middle := _region(inner[-1])) and middle[1:] == holder:
        holder, inner = middle, inner[:-1]
    if not inner:
        return holder[0], holder[1:]
    names = [form(part) for part in inner]
    code = holder[0].split(":", 1)[1]
    outer = tuple(f"place:{code}:" + ":".join(reversed(names[n:])) for n in range(1, len(names)))
    return f"place:{code}:" + ":".join(reversed(names)), (*outer, f"place:{names[0]}", *holder)


def _holder(last: str, city: str | None) -> tuple[str, ...] | None:
    """The region or country that `last` names, with what contains it; `city` is what is said to lie in it.

    "City, XX" is the American way of writing, so a code that is a state's and a country's is the state's.
    """
    name = fold(last.strip())
    if city is None:
        if name in _data()["ambiguous_alone"]:
            return None
        code = None if len(last.strip()) == 2 and name not in _countries() else _country_code(last)
        region = None if len(last.strip(" .")) <= 2 else _region(last)
        return (f"country:{code}",) if code else region
    if name == "georgia" and fold(city) not in _data()["georgian_cities"]:
        return _region(last)
    if last.strip() == "DE":
        return ("country:DE",)
    code = _country_code(last)
    if code and len(last.strip()) > 2:
        return (f"country:{code}",)
    return _region(last) or ((f"country:{code}",) if code else None)


def _region(text: str) -> tuple[str, ...] | None:
    """A region's key and its country's."""
    bare = text.strip()
    found = _regions().get(bare if len(bare) == 2 else fold(bare))
    return None if found is None else (f"place:{found[0]}", f"country:{found[1]}")


def _country_code(text: str) -> str | None:
    bare = text.strip()
    code: str | None = _countries().get(re.sub(r"^the\s+", "", fold(bare).strip()))
    if code is None and bare.isascii() and bare.isupper() and len(bare) in (2, 3):
        english = Locale("en").territories
        aliased = get_global("territory_aliases").get(bare, [bare])
        code = aliased[0] if len(aliased) == 1 and aliased[0] in english and aliased[0].isalpha() else None
    return code


@lru_cache(maxsize=1)
def _regions() -> dict[str, tuple[str, str]]:
    data = _data()
    known = {fold(name): (code, holder) for name, (code, holder) in data["region_aliases"].items()}
    for table, holder in (("us_states", "US"), ("ca_provinces", "CA")):
        for code, name in data[table].items():
            known.setdefault(code, (f"{holder}-{code}", holder))
            known.setdefault(fold(name), (f"{holder}-{code}", holder))
    return known


@lru_cache(maxsize=1)
def _countries() -> dict[str, str]:
    known = {fold(name): code for name, code in _data()["country_aliases"].items()}
    for locale in _LOCALES:
        for code, name in sorted(Locale.parse(locale).territories.items()):
            if len(code) == 2 and code.isalpha() and code not in ("EU", "EZ", "UN", "QO", "XA", "XB", "ZZ"):
                known.setdefault(fold(name), code)
                known.setdefault(fold(name).replace("&", "and"), code)
                known.setdefault(fold(re.sub(r"\s*[(（].*", "", name)), code)
    return known


@lru_cache(maxsize=1)
def _languages() -> dict[str, str]:
    known: dict[str, str] = {}
    for locale in _LOCALES:
        for code, name in sorted(Locale.parse(locale).languages.items()):
            known.setdefault(fold(name), code)
    return known | {"mandarin": "zh", "farsi": "fa", "castilian": "es", "flemish": "nl_BE", "bahasa": "id"}
