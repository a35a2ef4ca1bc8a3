"""Suspected duplicates by spelling and by initials: for a person to look at, never a merge."""

from collections.abc import Iterable
from typing import Final

import jellyfish

from processors.identity.forwards import follow
from processors.identity.letters import plain
from processors.identity.model import IdentityView, Known, Suggestion, Why
from processors.identity.names import Parsed, parse

#: Jaro-Winkler similarity from which two names look alike to a person ("Weber", "Webber" 0.97; "Ruiz", "Rueda" 0.83).
LOOKS_ALIKE: Final = 0.92
#: As many as a review can show.
MAX_SUGGESTIONS: Final = 5


def suggestions(said: Parsed, rows: Iterable[Known], view: IdentityView) -> tuple[Suggestion, ...]:
    """The entities of the same family whose names look or sound like `said`, surest first."""
    best: dict[str, Suggestion] = {}
    for row in rows:
        name = parse(row.name)
        why, score = _likeness(said, name)
        entity = follow(view, row.entity)
        if score >= LOOKS_ALIKE and (entity not in best or best[entity].score < score):
            best[entity] = Suggestion(entity, why, round(score, 3))
    return tuple(sorted(best.values(), key=lambda one: (-one.score, one.entity))[:MAX_SUGGESTIONS])


def _likeness(said: Parsed, name: Parsed) -> tuple[Why, float]:
    if said.family != name.family or any(char.isdigit() for char in said.exact + name.exact):
        return "other_spelling", 0.0
    initials = {
        "".join(word[:1] for word in one.exact.split("-")) for one in (said, name) if "-" in one.exact
    }
    if said.family != "person" and initials & {said.exact, name.exact}:
        return "acronym", LOOKS_ALIKE
    return "other_spelling", jellyfish.jaro_winkler_similarity(_bare(said), _bare(name))


def _bare(name: Parsed) -> str:
    return " ".join(plain(word)[0] for word in name.exact.split("-"))
