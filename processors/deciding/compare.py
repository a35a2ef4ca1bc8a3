"""How a statement relates to a claim of the same cell. Typed values decide; similarity of texts never does."""

from typing import Literal

from processors.deciding.model import Claim
from schemas.facts import Cardinality, Polarity
from schemas.values import TypedValue

#: ``same``: says the claim again. ``general``: the claim implies it (its value contains the claim's).
#: ``implied``: a denial that follows from the claim ("not in PST" from "in EST"). ``refines``: more precise.
#: ``specifies``: a value after a mere denial of another. ``contradicts``: both cannot hold.
#: ``undecided``: the types do not let us tell. ``unrelated``: both can hold.
Relation = Literal[
    "same", "general", "implied", "refines", "specifies", "contradicts", "undecided", "unrelated"
]


def compare(claim: Claim, value: TypedValue, polarity: Polarity, cardinality: Cardinality) -> Relation:
    """The relation of the statement (value, polarity) to ``claim``."""
    if value.key == claim.value.key:
        return "same" if polarity == claim.polarity else "contradicts"
    if cardinality == "many":
        return "unrelated"
    if polarity == "+" and claim.polarity == "+":
        return _both_affirm(claim.value, value)
    if polarity == "+":
        # "in Berlin" against "not in Germany" cannot hold; against "not in Paris" it says more.
        return "contradicts" if claim.value.key in value.within else "specifies"
    if claim.polarity == "+":
        # "not in Germany" denies "in Berlin"; "not in Paris" follows from it.
        return "contradicts" if value.key in claim.value.within else "implied"
    return _both_deny(claim.value, value)


def _both_affirm(held: TypedValue, stated: TypedValue) -> Relation:
    if held.key in stated.within:
        return "refines"
    if stated.key in held.within:
        return "general"
    if held.type != stated.type:
        # One of the two could not be read as the predicate's type: no rule can say whether they agree.
        return "undecided"
    return "contradicts"


def _both_deny(held: TypedValue, stated: TypedValue) -> Relation:
    if held.key in stated.within:
        return "general"  # "not in Germany" already denies Berlin
    if stated.key in held.within:
        return "refines"
    return "specifies"
