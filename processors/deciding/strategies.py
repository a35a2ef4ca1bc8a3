"""Who wins when a statement contradicts claims that other agents support (pass 2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from processors.deciding.control import Rules
from processors.deciding.model import Order, SlotKey, Support

Verdict = Literal["wins", "older", "dispute", "pending"]


@dataclass(frozen=True, slots=True)
class Contest:
    """One side's statement against the supporters of what it contradicts."""

    slot: SlotKey
    agent: str
    order: Order
    opponents: Sequence[Support]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    #: What the strategy looked at, for explain: ``newer``, ``authority 0.2 <= 0.9``, ``authority_unseeded``.
    reason: str


def recency(contest: Contest) -> Outcome:
    """Newer wins; a claim is as recent as its latest supporting evidence. Orders have no ties."""
    latest = max(support.order for support in contest.opponents)
    return Outcome("wins", "newer") if contest.order > latest else Outcome("older", "older")


def authority(contest: Contest) -> Outcome:
    """The heavier source wins, whenever it speaks; equal weights are a dispute.

    A missing weight is 0 once any party has one. When nobody has one the operator has not said whom to trust:
    recency decides, and the reason ``authority_unseeded`` says so.
    """
    mine = contest.rules.weight(contest.agent, contest.slot)
    theirs = [contest.rules.weight(support.agent, contest.slot) for support in contest.opponents]
    if mine is None and all(weight is None for weight in theirs):
        decided = recency(contest)
        return Outcome(decided.verdict, f"authority_unseeded, {decided.reason}")
    heaviest = max(weight or 0.0 for weight in theirs)
    if (mine or 0.0) > heaviest:
        return Outcome("wins", f"authority {mine or 0.0:g} > {heaviest:g}")
    return Outcome("dispute", f"authority {mine or 0.0:g} <= {heaviest:g}")


STRATEGIES: dict[str, Callable[[Contest], Outcome]] = {"recency": recency, "authority": authority}


def contest_by(strategy: str, contest: Contest) -> Outcome:
    """Runs the named strategy. One this program does not know yet is a dispute: a person decides, nothing is lost."""
    known = STRATEGIES.get(strategy)
    if known is None:
        return Outcome("dispute", f"strategy {strategy} is not available")
    return known(contest)
