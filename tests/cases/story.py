"""What a story is: what is said, and what is believed then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """One turn; `day` counts from the first of May 2026, `more` goes to `Scene.say`."""

    text: str
    day: int
    agent: str = "chat"
    more: dict[str, Any] = field(default_factory=dict)


def said(text: str, day: int, agent: str = "chat", **more: Any) -> Said:
    return Said(text, day, agent, more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """`believed`: the active claims, all of them. `kept`: the others (None: not looked at).

    `policy` and `weights` are set before anything is said; `disputes` are the steps that were published, `reviews` the
    reasons.
    """

    kind: str
    name: str
    turns: tuple[Said, ...]
    believed: frozenset[str]
    kept: frozenset[str] | None = frozenset()
    policy: str = ""
    weights: dict[str, float] = field(default_factory=dict)
    disputes: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()


def story(
    kind: str,
    name: str,
    *turns: Said,
    believed: tuple[str, ...] = (),
    kept: tuple[str, ...] | None = (),
    **more: Any,
) -> Story:
    held = None if kept is None else frozenset(kept)
    return Story(kind=kind, name=name, turns=turns, believed=frozenset(believed), kept=held, **more)
