"""How two names stand to each other. Only names of one family are ever compared."""

from typing import Literal

from processors.identity.letters import alike, all_alike, script_of
from processors.identity.names import Parsed

#: ``same``: one name, perhaps spelled another way. ``shorter``, ``longer``: the first may be a part of the second, or
#: the other way round ("A. Ruiz", "Ana Ruiz"). ``conflict``: the names themselves say that two are meant.
Relation = Literal["same", "shorter", "longer", "conflict", "apart"]


def relation(one: Parsed, other: Parsed) -> Relation:
    if one.family != other.family:
        return "apart"
    if one.family == "person":
        return _persons(one, other)
    if not all_alike(one.exact, other.exact):
        return "apart"
    return "conflict" if _differ(one, other) else "same"


def strangers(one: Parsed, other: Parsed) -> bool:
    """Whether two names in one script cannot be one person's: neither is part of the other, nor do first names agree.

    A mailbox or a telephone that both use does not make them one.
    """
    if one.family != "person" or other.family != "person" or script_of(one.exact) != script_of(other.exact):
        return False
    if relation(one, other) in ("same", "shorter", "longer"):
        return False
    first, second = one.words[0], other.words[0]
    return not (alike(first, second) or _initial(first, second) or _initial(second, first))


def _differ(one: Parsed, other: Parsed) -> bool:
    """Whether the names themselves say that two are meant: "Acme GmbH", "Acme Inc."; "Mr. Harlan", "Mrs. Harlan"."""
    if one.qualifier and other.qualifier and one.qualifier != other.qualifier:
        return True
    return {one.gender, other.gender} == {"f", "m"}


def _persons(one: Parsed, other: Parsed) -> Relation:
    if all_alike(one.exact, other.exact):
        if _differ(one, other):
            return "conflict"
        if len(one.words) == 1 and one.title != other.title and script_of(one.exact) != "CJK":
            # "Dr. Ruiz" and "Ruiz" may be one; "Dr. Ruiz" and "Prof. Ruiz" too.
            return "shorter" if not one.title else "longer"
        return "same"
    if one.generation != other.generation or _differ(one, other):
        return "conflict" if _fit(one, other) or _fit(other, one) else "apart"
    if _fit(one, other):
        return "shorter"
    return "longer" if _fit(other, one) else "apart"


def _fit(short: Parsed, long: Parsed) -> bool:
    """Whether `short` may stand for `long`: a part of it, with initials for words, without middle names."""
    if len(short.words) == 1:
        if len(long.words) < 2 or len(short.words[0]) == 1:
            return False
        return alike(short.words[0], long.words[-1]) or (
            not short.title and alike(short.words[0], long.words[0])
        )
    if len(short.words) > len(long.words) or len(long.words) < 2:
        return False
    if all(map(alike, short.words, long.words)):
        return True  # "Carlos Vidal" of "Carlos Vidal Moreno"
    pairs = [(short.words[0], long.words[0]), (short.words[-1], long.words[-1])]
    between, wider = short.words[1:-1], long.words[1:-1]
    if between and len(between) != len(wider):
        return False
    pairs += zip(between, wider, strict=False)
    return all(alike(a, b) or _initial(a, b) for a, b in pairs) and any(
        len(a) > 1 and alike(a, b) for a, b in pairs[:2]
    )


def _initial(short: str, long: str) -> bool:
    return len(short) == 1 and long.startswith(short)
