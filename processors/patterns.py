"""Predicate patterns of policies and authority: ``user.timezone``, ``user.schedule.*``, ``user.*``, ``*``.

A pattern is matched against ``<entity type>.<predicate>``, for example ``user.timezone``. ``*`` alone matches
everything, a last segment ``*`` one or more segments, any other ``*`` any text within its segment.

The most specific matching pattern wins. More specific is, in this order: no wildcard at all; more segments without
a wildcard; more literal characters; fewer wildcards; last, so that the answer never depends on the order of a
list, the pattern that comes first in the alphabet.
"""

import re
from collections.abc import Iterable
from functools import lru_cache


def name_of(entity: str, predicate: str) -> str:
    """What a pattern is matched against: ``user.timezone`` for entity ``user:u1`` and predicate ``timezone``."""
    return f"{entity.split(':', 1)[0]}.{predicate}"


def matches(pattern: str, name: str) -> bool:
    """Whether `pattern` covers `name` (``<entity type>.<predicate>``)."""
    return _compiled(pattern).fullmatch(name) is not None


def most_specific(name: str, patterns: Iterable[str]) -> str | None:
    """The most specific of the `patterns` that match `name`; None when none does."""
    matching = [pattern for pattern in patterns if matches(pattern, name)]
    return min(matching, key=_rank) if matching else None


def _rank(pattern: str) -> tuple[bool, int, int, int, str]:
    segments = pattern.split(".")
    literal = sum("*" not in segment for segment in segments)
    stars = pattern.count("*")
    return stars > 0, -literal, -(len(pattern) - stars - len(segments) + 1), stars, pattern


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern == "*":
        return re.compile(r".*", re.DOTALL)
    segments = pattern.split(".")
    parts = [re.escape(segment).replace(r"\*", r"[^.]*") for segment in segments]
    if segments[-1] == "*":
        parts[-1] = r".+"
    return re.compile(r"\.".join(parts), re.DOTALL)
