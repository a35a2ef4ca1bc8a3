"""Numbers, yes or no, money and quantities with units."""

import math
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

import pint
from babel import Locale
from babel.numbers import get_currency_name, list_currencies

from processors.values.text import fold, form

Typed = tuple[str, tuple[str, ...]]

_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_WORDS: Final = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value
    for value, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), start=3)
}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SUFFIXES: Final = {"k": 3, "m": 6, "bn": 9, "thousand": 3, "million": 6, "billion": 9}
_DIGITS: Final = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")
_YEARS_OLD: Final = re.compile(r"\s*(-?\s*years?([ -]old)?|-?\s*yrs?|\s*y/?o)( of age)?\.?$")

_YES: Final = frozenset("yes y true yeah yep oui ja sí si sim はい да 是 예 हाँ".split())
_NO: Final = frozenset("no n false nope non nein não nee いいえ нет 否 아니요 नहीं".split())

#: How people name a currency without its country; all others by their CLDR names.
_COLLOQUIAL: Final = {
    "us$": "USD", "dollar": "USD", "dollars": "USD", "buck": "USD", "bucks": "USD", "pound": "GBP", "pounds": "GBP",
    "quid": "GBP", "yen": "JPY", "yuan": "CNY", "rmb": "CNY", "rupee": "INR", "rupees": "INR", "won": "KRW",
}  # fmt: skip
_PERIODS: Final = {
    "hour": "hour", "hourly": "hour", "h": "hour", "day": "day", "daily": "day", "week": "week", "weekly": "week",
    "month": "month", "monthly": "month", "mo": "month", "year": "year", "yearly": "year", "annually": "year",
    "annum": "year", "yr": "year",
}  # fmt: skip
_PERIOD: Final = re.compile(r"\s*(?:(?:/|\bper|\ba|\ban|\beach)\s*)?\b(" + "|".join(_PERIODS) + r")$")
_PART: Final = re.compile(r"([-+]?[\d.,]*\d)\s*([^\d\s.,;+-][^\d,;+]*)")
_UNIT: Final = re.compile(r"[^\W\d_]{1,24}(?:( per |[ /])[^\W\d_]{1,24}){0,2}|°[CF]")
_SHORTHAND: Final = {
    "'": "foot", '"': "inch", "%": "percent", "°c": "degC", "°f": "degF", "celsius": "degC", "fahrenheit": "degF",
    "degrees celsius": "degC", "degrees fahrenheit": "degF", "kmh": "km/hour", "km/h": "km/hour", "kph": "km/hour",
    "k": "K", "gb": "gigabyte", "mb": "megabyte", "tb": "terabyte", "kb": "kilobyte",
}  # fmt: skip
_IRREGULAR: Final = frozenset("feet metre metres litre litres pints degC degF".split())


def decimal_of(text: str) -> Decimal | None:
    """The number that `text` is, in digits of any script or in English words; None when it is not one."""
    folded = fold(text).strip().strip(".")
    if _DIGITS.fullmatch(folded) and len(folded) <= 40:
        try:
            return Decimal(folded.replace(",", ""))
        except InvalidOperation:
            return None
    return _words(folded.replace("-", " ").split())


def plain(number: Decimal) -> str:
    """``5`` for 5.00, never an exponent."""
    return format(number.normalize() + 0, "f")


def number(text: str) -> Typed | None:
    """``number:32`` for "32", "thirty-two", "32 years old"."""
    found = decimal_of(text)
    if found is None:
        found = decimal_of(_YEARS_OLD.sub("", fold(text)))
    return None if found is None else (f"number:{plain(found)}", ())


def boolean(text: str) -> Typed | None:
    word = form(text)
    if word in _YES:
        return "boolean:true", ()
    return ("boolean:false", ()) if word in _NO else None


def money(text: str) -> Typed | None:
    """``money:USD:5000`` or ``money:USD:5000/month``; a bare dollar is the US one, as in CLDR's English."""
    rest = fold(text).strip().rstrip(".")
    period = _PERIOD.search(rest)
    if period:
        rest = rest[: period.start()].strip()
    found = re.fullmatch(r"([^\d\s+-]*)\s*([-+]?[\d.,]*\d)\s*(.*)", rest)
    before, amount, after = (part.strip() for part in found.groups()) if found else ("", *_in_words(rest))
    number_, unit = _scaled(amount, after)
    currency = _currencies().get(before if before else unit)
    if number_ is None or currency is None or (before and unit and _currencies().get(unit) != currency):
        return None
    suffix = f"/{_PERIODS[period.group(1)]}" if period else ""
    return f"money:{currency}:{plain(number_)}{suffix}", ()


def quantity(text: str) -> Typed | None:
    """Base units with six significant digits, so that 5 km is 5,000 m: ``quantity:5000 meter``."""
    rest = unicodedata.normalize("NFKC", text).replace("′", "'").replace("″", '"').replace("’", "'").strip()
    rest = re.sub(r"(?<=[^\W\d_])\s*(?:and|&|,)\s*(?=\d)", " ", rest)
    words = rest.split(" ", 1)
    if len(words) == 2 and (spelled := decimal_of(words[0])) is not None:
        rest = f"{plain(spelled)} {words[1]}"
    parts = list(_PART.finditer(rest))
    if not 1 <= len(parts) <= 3 or "".join(part.group() for part in parts).strip() != rest:
        return None
    total: Any = None  # pint types its quantities by the registry, which is not known statically
    for part in parts:
        measured = _measured(part.group(1), part.group(2).strip().rstrip("."))
        if measured is None or (total is not None and measured.dimensionality != total.dimensionality):
            return None
        total = measured if total is None else total + measured
    return None if total is None else (f"quantity:{total.magnitude:.6g} {total.units}", ())


def _measured(amount: str, name: str) -> Any:
    """The amount in base units; None for a word that is no everyday unit."""
    size = decimal_of(amount)
    unit = _unit(name)
    if size is None or unit is None:
        return None
    measured = _units().Quantity(float(size), _units().parse_units(unit)).to_base_units()
    return measured if math.isfinite(measured.magnitude) else None


@lru_cache(maxsize=1024)
def _unit(name: str) -> str | None:
    """Pint's name of an everyday unit, whatever its case where that is safe (``Kilometers``, not ``M``)."""
    name = _SHORTHAND.get(name.lower(), name)
    if not _UNIT.fullmatch(name):
        return None
    for spelling in dict.fromkeys((name, name.lower())) if len(name) > 2 else (name,):
        spelling = spelling.replace(" per ", "/").replace(" ", "_")
        try:
            unit = _units().parse_units(spelling)
        except Exception:  # pint raises half a dozen kinds for a text that is no unit
            continue
        if unit.dimensionality in _dimensions() and all(map(_spelled_out, re.split(r"[/_]", spelling))):
            return spelling
    return None


def _spelled_out(word: str) -> bool:
    """Not a chain of symbols by accident: pint reads "cats" as centi-technical-atmospheres."""
    if len(word) <= 3 or word in _IRREGULAR:
        return True
    return any(unit[:4] in word for _, unit, _ in _units().parse_unit_name(word))


def _in_words(text: str) -> tuple[str, str]:
    """ "twenty-five us dollars" as number and currency."""
    words = text.split()
    cut = next((n for n in range(len(words) - 1, 0, -1) if decimal_of(" ".join(words[:n])) is not None), 0)
    return " ".join(words[:cut]), " ".join(words[cut:])


def _scaled(amount: str, after: str) -> tuple[Decimal | None, str]:
    size = decimal_of(amount)
    if size is None:
        return None, after
    for suffix, power in _SUFFIXES.items():
        if after == suffix or after.startswith(suffix + " "):
            return size.scaleb(power), after[len(suffix) :].strip()
    return size, after


def _words(words: list[str]) -> Decimal | None:
    """English number words: "two hundred and five thousand" is 205,000."""
    total = current = 0
    last: int | None = None
    for word in words:
        if word == "and" and last in _SCALES.values():
            continue
        if word in _SCALES:
            if last is None:
                return None
            current = max(current, 1) * _SCALES[word]
            last = _SCALES[word]
            if last > 100:
                total, current = total + current, 0
        elif word in _WORDS:
            value = _WORDS[word]
            if last is not None and last not in _SCALES.values() and not (last >= 20 and 0 < value < 10):
                return None
            current, last = current + value, value
        else:
            return None
    return None if last is None else Decimal(total + current)


@lru_cache(maxsize=1)
def _currencies() -> dict[str, str]:
    """Codes, English names and unambiguous symbols of CLDR."""
    english = Locale("en")
    known: dict[str, str] = {}
    for code in sorted(list_currencies("en")):
        known.setdefault(fold(code), code)
        for name in (english.currencies[code], *(get_currency_name(code, n, "en") for n in (1, 2))):
            known.setdefault(fold(name), code)
    for code, symbol in sorted(english.currency_symbols.items()):
        known.setdefault(fold(symbol), code)
    return known | _COLLOQUIAL


@lru_cache(maxsize=1)
def _units() -> "pint.UnitRegistry[float]":
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


@lru_cache(maxsize=1)
def _dimensions() -> tuple[object, ...]:
    everyday = (
        "meter kilogram second liter meter**2 km/hour degC byte joule watt liter/km meter/second**2 percent"
    )
    return tuple(_units().parse_units(unit).dimensionality for unit in everyday.split())
