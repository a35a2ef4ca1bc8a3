"""Bodies that differ from a good one in one place: what two readers of one contract must agree on."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

#: Strings that are too long for any field, empty, or hold what a key may not hold.
_TEXTS = ("", "x" * 5000, "a\u001fb", "nonsense", "2026-03-02T09:00:00")
_NUMBERS = (-1, -0.5, 0, 0.5, 1, 1.5, 10_001)
_OTHERS: tuple[Any, ...] = (None, {}, [])

Path = tuple[str | int, ...]


def mutations(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was done (for the message of a test), and the body."""
    for path in _paths(body, ()):
        where = "/".join(map(str, path))
        value = _at(body, path)
        yield f"{where} left out", _without(body, path)
        for other in _replacements(value):
            yield f"{where} = {str(other)[:30]!r}", _with(body, path, other)


def _paths(value: Any, here: Path) -> Iterator[Path]:
    if here:
        yield here
    steps: Any = (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    )
    for step, inner in steps:
        yield from _paths(inner, (*here, step))


def _replacements(value: Any) -> Iterator[Any]:
    yield from _OTHERS
    if isinstance(value, dict):
        yield value | {"a_field_of_a_later_version": {"x": 1}}
        yield "text"
    elif isinstance(value, list):
        yield value * 300
        yield "text"
    elif isinstance(value, str):
        yield from _TEXTS
    elif not isinstance(value, bool):
        yield from _NUMBERS


def _at(body: Any, path: Path) -> Any:
    for step in path:
        body = body[step]
    return body


def _with(body: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(body)
    _at(made, path[:-1])[path[-1]] = value
    return made


def _without(body: dict[str, Any], path: Path) -> dict[str, Any]:
    made = copy.deepcopy(body)
    del _at(made, path[:-1])[path[-1]]
    return made
