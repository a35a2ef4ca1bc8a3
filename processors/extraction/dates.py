"""The few relative times a statement names itself, against the time of the turn: "last year", "yesterday",
"in 2019".

Anything else stays unknown: a date is never guessed.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from processors.extraction.values import number

_I: Final = re.IGNORECASE
_YEAR: Final = re.compile(r"\b(?:in|of|during) ((?:19|20)\d\d)\b", _I)
_SINCE: Final = re.compile(r"\bsince ((?:19|20)\d\d)\b", _I)
_UNTIL: Final = re.compile(r"\b(?:until|till|up to) (last year|last month|yesterday|(?:19|20)\d\d)\b", _I)
_RELATIVE: Final = re.compile(
    r"\b(yesterday|last (?:year|month)|today|this morning|(?:(\w+) (year|month|week|day)s? ago))\b", _I
)


class Period(NamedTuple):
    """``PartialDate`` strings, or None where the text says nothing."""

    valid_from: str | None = None
    valid_to: str | None = None


def period(text: str, at: datetime, *, ended: bool) -> Period:
    """When a statement says its fact began or ended; ``at`` is the time of the turn (UTC)."""
    until = _UNTIL.search(text)
    if until:
        return Period(None, _resolve(until.group(1), at))
    since = _SINCE.search(text) or (None if ended else _YEAR.search(text))
    if since:
        return Period(since.group(1), None)
    relative = _RELATIVE.search(text)
    if not relative:
        return Period()
    moment = _resolve(relative.group(1), at, relative.group(2), relative.group(3))
    return Period(None, moment) if ended else Period(moment, None)


def _resolve(words: str, at: datetime, count: str | None = None, unit: str | None = None) -> str | None:
    low = words.casefold()
    if low.isdecimal():
        return low
    if low == "last year":
        return f"{at.year - 1:04d}"
    if low == "last month":
        return f"{at.year - (at.month == 1):04d}-{(at.month - 2) % 12 + 1:02d}"
    if low in {"today", "this morning"}:
        return f"{at:%Y-%m-%d}"
    if low == "yesterday":
        return f"{at - timedelta(days=1):%Y-%m-%d}"
    many = 1 if count in {"a", "an"} else int(number(count or "") or 0)
    if not many or many > 150:
        return None
    if unit == "year":
        return f"{at.year - many:04d}"
    if unit == "month":
        months = at.year * 12 + at.month - 1 - many
        return f"{months // 12:04d}-{months % 12 + 1:02d}"
    return f"{at - timedelta(days=many * (7 if unit == 'week' else 1)):%Y-%m-%d}"
