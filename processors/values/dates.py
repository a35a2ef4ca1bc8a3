"""Dates as precise as they were said: a year, a month, an ISO week, a day, a moment, or one without its year.

Keys are ISO 8601: ``date:2026``, ``date:2026-03``, ``date:2026-W10``, ``date:2026-03-04``,
``date:2026-03-04T15:00`` (no zone said) and ``...Z`` (UTC); without a year ``date:--03`` and ``date:--03-04``. A more
precise date lies within the coarser ones. What can be read in two ways ("03/04/2026") is no date.

Relative dates ("last year", "tomorrow") are counted from `at`, in UTC; nothing here reads a clock.
"""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final

from babel import Locale
from dateparser.date import DateDataParser

from processors.values.numbers import Typed
from processors.values.text import fold

_LEAD: Final = re.compile(r"^(?:(?:on|since|by|until|till|from|the|of|around|about)\s+)+")
_ISO: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_ISO_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(z|[+-]\d{2}:?\d{2})?")
_ISO_WEEK: Final = re.compile(r"(\d{4})-?w(\d{2})")
_EAST_ASIAN: Final = re.compile(r"(\d{4})\s*[年년](?:\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일])?)?")
_NUMERIC: Final = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_YEARLESS: Final = re.compile(r"--(\d{2})(?:-(\d{2}))?")
_MONTH: Final = {
    fold(name).rstrip("."): number
    for width in ("wide", "abbreviated")
    for number, name in Locale("en").months["format"][width].items()
} | {"sept": 9}
_NAMES: Final = "(" + "|".join(sorted(_MONTH, key=len, reverse=True)) + r")\.?"
_ORDINAL: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_DAY: Final = re.compile(rf"{_NAMES}\s+(?:the\s+)?{_ORDINAL}(?:,?\s+(\d{{4}}))?")
_DAY_MONTH: Final = re.compile(rf"{_ORDINAL}\.?\s+(?:of\s+)?{_NAMES}(?:,?\s+(\d{{4}}))?")
_MONTH_ONLY: Final = re.compile(rf"(?:in\s+)?{_NAMES}(?:,?\s+(?:of\s+)?(\d{{4}}))?")
_TURNED_MONTH: Final = re.compile(rf"(last|this|next)\s+{_NAMES}")
_IN_YEAR: Final = re.compile(r"in\s+(\d{4})")
_COUNT: Final = r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT: Final = r"(?:minute|hour|day|week|month|year)s?"
_DAY: Final = "|".join(fold(name) for name in Locale("en").days["format"]["wide"].values())
#: What dateparser is asked about; everything else it would guess at ("spring", a bare "Friday").
_RELATIVE: Final = re.compile(
    rf"today|yesterday|tomorrow|now|right now|(?:the )?day (?:before yesterday|after tomorrow)"
    rf"|(?:last|this|next) (?:week|month|year|{_DAY})|{_COUNT} {_UNIT} ago|in {_COUNT} {_UNIT}"
)
_DATED: Final = re.compile(rf"(?=.*\b\d{{4}}\b)(?=.*\b{_NAMES})[\w\s,.:+-]{{6,60}}")


def partial_date(text: str, at: datetime) -> Typed | None:
    """The key of a date and the keys of the coarser dates around it; None for what is no date.

    Args:
        text: as stated, at most 80 characters are looked at.
        at: the moment that "yesterday" is counted from; a naive one is taken as UTC.
    """
    if len(text) > 80:
        return None
    said = _LEAD.sub("", " ".join(fold(text).split()).strip(" .,"))
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    parts = _absolute(said)
    if parts is not None:
        return _typed(*parts)
    if found := _TURNED_MONTH.fullmatch(said):
        return _typed(_turned_year(found[1], _MONTH[found[2]], at), _MONTH[found[2]])
    if found := _ISO_WEEK.fullmatch(said):
        return _week(int(found[1]), int(found[2]))
    if _ISO_MOMENT.fullmatch(said):
        return _iso_moment(said)
    if _RELATIVE.fullmatch(said) or _DATED.fullmatch(said):
        return _asked(said, at)
    return None


def within(key: str) -> tuple[str, ...]:
    """The coarser dates around a date key, nearest first."""
    found = re.fullmatch(r"date:(\d{4})-(\d{2})-(\d{2})(T.*)?", key)
    if found:
        year, month, day, moment = found.groups()
        week = date(int(year), int(month), int(day)).isocalendar()
        coarser = (f"date:{year}-{month}-{day}",) if moment else ()
        weekly = f"date:{week.year}-W{week.week:02}"
        return (
            *coarser,
            weekly,
            f"date:{year}-{month}",
            f"date:--{month}-{day}",
            f"date:--{month}",
            f"date:{year}",
        )
    if found := re.fullmatch(r"date:(\d{4})-(\d{2})", key):
        return f"date:--{found[2]}", f"date:{found[1]}"
    if found := re.fullmatch(r"date:(\d{4})-W(\d{2})", key):
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        last = first + timedelta(days=6)
        month = (f"date:{first:%Y-%m}",) if first.month == last.month else ()
        return (*month, f"date:{first.year:04}") if first.year == last.year else ()
    if found := re.fullmatch(r"date:--(\d{2})-\d{2}", key):
        return (f"date:--{found[1]}",)
    return ()


def _typed(year: int | None, month: int | None = None, day: int | None = None) -> Typed | None:
    try:
        date(year or 2000, month or 1, day or 1)
    except ValueError:
        return None
    if year is not None and not 1 <= year <= 9999:
        return None
    parts = ["-" if year is None else f"{year:04}"]
    parts += [] if month is None else [f"{month:02}"]
    parts += [] if day is None else [f"{day:02}"]
    key = "date:" + "-".join(parts)
    return key, within(key)


def _absolute(said: str) -> tuple[int | None, int | None, int | None] | None:
    for pattern in (_ISO, _EAST_ASIAN):
        if (found := pattern.fullmatch(said)) and said[:4] >= "1000":
            return int(found[1]), _int(found[2]), _int(found[3])
    if found := _IN_YEAR.fullmatch(said):
        return int(found[1]), None, None
    if found := _YEARLESS.fullmatch(said):
        return None, int(found[1]), _int(found[2])
    if found := _NUMERIC.fullmatch(said):
        first, second = int(found[1]), int(found[3])
        if first > 12 or first == second or found[2] == ".":  # a dotted date has the day first
            return int(found[4]), second, first
        return (int(found[4]), first, second) if second > 12 else None
    if found := _MONTH_DAY.fullmatch(said):
        return _int(found[3]), _MONTH[found[1]], int(found[2])
    if found := _DAY_MONTH.fullmatch(said):
        return _int(found[3]), _MONTH[found[2]], int(found[1])
    if found := _MONTH_ONLY.fullmatch(said):
        return _int(found[2]), _MONTH[found[1]], None
    return None


def _turned_year(turn: str, month: int, at: datetime) -> int:
    """The year of "last June": the nearest June before the month of `at`, after it for "next"."""
    if turn == "last":
        return at.year - (month >= at.month)
    return at.year + (month <= at.month) if turn == "next" else at.year


def _week(year: int, week: int) -> Typed | None:
    try:
        date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    key = f"date:{year:04}-W{week:02}"
    return key, within(key)


def _iso_moment(said: str) -> Typed | None:
    try:
        return _moment(datetime.fromisoformat(said.upper()))
    except ValueError:
        return None


def _moment(moment: datetime) -> Typed | None:
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except OverflowError:
        return None
    written = moment.replace(tzinfo=None).isoformat(timespec="auto" if moment.second else "minutes")
    key = f"date:{written}" + ("Z" if moment.tzinfo else "")
    return key, within(key)


def _asked(said: str, at: datetime) -> Typed | None:
    """What dateparser makes of it, cut to the precision that it reports."""
    try:
        found = _parser(at.replace(tzinfo=None)).get_date_data(said)
    except Exception:  # it raises many kinds for odd input (OverflowError, ValueError of replace, ...)
        return None
    moment = found.date_obj
    if moment is None:
        return None
    if found.period == "time":
        # Counted from `at`, which is UTC; a clock time without a zone stays without one.
        counted = _RELATIVE.fullmatch(said) is not None
        return _moment(moment.replace(tzinfo=UTC) if counted else moment)
    if found.period == "week":
        calendar = moment.isocalendar()
        return _week(calendar.year, calendar.week)
    month = moment.month if found.period != "year" else None
    return _typed(moment.year, month, moment.day if found.period == "day" else None)


@lru_cache(maxsize=64)
def _parser(base: datetime) -> DateDataParser:
    """RELATIVE_BASE keeps dateparser from the clock, TIMEZONE from the machine's own zone."""
    return DateDataParser(
        languages=["en"],
        settings={
            "RELATIVE_BASE": base,
            "TIMEZONE": "UTC",
            "RETURN_TIME_AS_PERIOD": True,
            "PREFER_DATES_FROM": "past",
            "PARSERS": ["relative-time", "absolute-time"],
        },
    )


def _int(text: str | None) -> int | None:
    return None if text is None else int(text)
