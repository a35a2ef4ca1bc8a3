"""Times of day and durations."""

import re
from decimal import Decimal
from typing import Final

from processors.values.numbers import Typed, decimal_of, plain
from processors.values.text import fold

_LEAD: Final = re.compile(r"^(?:(?:at|by|from|around|about|exactly|until|sharp)\s+)+")
_PART_OF_DAY: Final = re.compile(
    r"\s*(?:,\s*)?(?:(a\.?m\.?|in the morning)|(p\.?m\.?|in the (?:afternoon|evening)|at night))\.?$"
)
_DIGITS: Final = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(?::(\d{2}))?h?")
_NAMED: Final = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_PAST: Final = re.compile(
    r"(half|quarter|[a-z-]+(?: minutes)?|\d{1,2}(?: minutes)?) (past|to|after) ([a-z]+|\d{1,2})"
)
_ISO: Final = re.compile(
    r"p(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)w)?(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)?"
)
_UNITS: Final = {
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "m": 60, "hour": 3600, "hr": 3600, "h": 3600,
    "day": 86400, "d": 86400, "week": 604800, "wk": 604800, "w": 604800, "fortnight": 1209600,
}  # fmt: skip
#: Months have no fixed length, so they are counted by themselves.
_MONTHS: Final = {"month": 1, "mo": 1, "year": 12, "yr": 12, "y": 12, "decade": 120}
_PIECE: Final = re.compile(
    r"(\d+(?:[.,]\d+)?|[a-z-]+(?: [a-z-]+)??)\s*("
    + "|".join(sorted((*_UNITS, *_MONTHS), key=len, reverse=True))
    + r")s?\b"
)


def time_of_day(text: str) -> Typed | None:
    """``time:06:00`` for "six", "06:00", "6 am". An hour without a part of the day is taken as it stands."""
    said = (
        _LEAD.sub("", " ".join(fold(text).split()).strip(" ."))
        .removesuffix(" o'clock")
        .removesuffix(" sharp")
    )
    half = _PART_OF_DAY.search(said)
    if half:
        said = said[: half.start()].strip().removesuffix(" o'clock")
    if said in _NAMED and not half:
        return f"time:{_NAMED[said]}", ()
    found = _clock(said)
    if found is None:
        return None
    hour, minute, second = found
    if half:
        if not 1 <= hour <= 12:
            return None
        # "at night" after midnight is still the small hours: 2 at night is 02:00.
        late = half[2] is not None and not ("night" in half[2] and hour < 6)
        hour = hour % 12 + (12 if late and not ("night" in half[2] and hour == 12) else 0)
    if hour == 24 and minute == 0:
        hour = 0
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"time:{hour:02}:{minute:02}" + (f":{second:02}" if second else ""), ()


def _clock(said: str) -> tuple[int, int, int] | None:
    if found := _DIGITS.fullmatch(said):
        return int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if found := _PAST.fullmatch(said):
        hour = _whole(found[3])
        minutes = {"half": 30, "quarter": 15}.get(found[1]) or _whole(found[1].removesuffix(" minutes"))
        if hour is None or minutes is None or minutes > 59 or hour > 24:
            return None
        return (hour, minutes, 0) if found[2] != "to" else ((hour - 1) % 24 or 12, 60 - minutes, 0)
    words = said.split()
    hour = _whole(words[0]) if words else None
    if hour is None or hour > 24:
        return None
    minutes = _whole(" ".join(words[1:])) if words[1:] else 0
    return None if minutes is None or minutes > 59 else (hour, minutes, 0)


def duration(text: str) -> Typed | None:
    """``duration:5400s`` for "90 minutes" and "an hour and a half", ``duration:18mo`` for "1.5 years"."""
    said = " ".join(fold(text).split()).strip(" .")
    said = re.sub(r"^(?:for|about|around|roughly)\s+", "", said)
    said = re.sub(r"^half (?:an? )?", "0.5 ", said)
    said = re.sub(r"^an?\s", "1 ", said)
    said = re.sub(
        r"^(\w+) (\w+) and a half$", r"\1.5 \2" if said[:1].isdigit() else r"\1 \2 and 0.5 \2", said
    )
    said = re.sub(r"^([a-z]+|\d+) and a half ", lambda m: f"{decimal_of(m[1]) or m[1]}.5 ", said)
    if iso := _ISO.fullmatch(said):
        counts = [int(part or 0) for part in iso.groups()]
        if not any(counts) or len(said) > 40:
            return None
        years, months_, weeks, days, hours, minutes, seconds = counts
        return _length(
            Decimal(12 * years + months_),
            Decimal(604800 * weeks + 86400 * days + 3600 * hours + 60 * minutes + seconds),
        )
    if found := re.fullmatch(r"(\d{1,3})h(\d{2})", said):
        return _length(Decimal(0), Decimal(3600 * int(found[1]) + 60 * int(found[2])))
    months = seconds_ = Decimal(0)
    rest = said
    while rest:
        piece = _PIECE.match(rest)
        size = decimal_of(piece[1].replace(",", ".")) if piece else None
        if piece is None or size is None:
            return None
        months += size * _MONTHS.get(piece[2], 0)
        seconds_ += size * _UNITS.get(piece[2], 0)
        rest = re.sub(r"^\s*(?:,|and)?\s*", "", rest[piece.end() :])
    return _length(months, seconds_) if said else None


def _length(months: Decimal, seconds: Decimal) -> Typed:
    parts = [f"{plain(months)}mo"] if months else []
    parts += [f"{plain(seconds)}s"] if seconds or not months else []
    return "duration:" + "+".join(parts), ()


def _whole(text: str) -> int | None:
    number = decimal_of(text)
    return (
        int(number) if number is not None and number == number.to_integral_value() and number >= 0 else None
    )
