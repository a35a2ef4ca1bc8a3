"""Who wins when a statement contradicts claims that other agents support (pass 2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from processors.deciding.control import Rules
from processors.deciding.model import Order, SlotKey, Support

Verdict = Literal["wins", "older", "dispute", "pending"]


@dataclass(frozen=True, slots=True)
class Contest:
    """One side's statement against the supporters of what it contradicts.

    ``backers`` are the other supporters of what is stated; ``origins`` are the statement's own.
    """

    slot: SlotKey
    agent: str
    order: Order
    origins: tuple[str, ...]
    backers: Sequence[Support]
    opponents: Sequence[Support]
    rules: Rules
    #: The weight that counts when the statement was derived: its weakest source's.
    weight_limit: float | None = None


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
    recency decides, and the reason ``authority_unseeded`` says so. A derived statement weighs as its weakest source.
    """
    mine = contest.rules.weight(contest.agent, contest.slot)
    if contest.weight_limit is not None:
        mine = min(mine or 0.0, contest.weight_limit)
    theirs = [contest.rules.weight(support.agent, contest.slot) for support in contest.opponents]
    if mine is None and all(weight is None for weight in theirs):
        decided = recency(contest)
        return Outcome(decided.verdict, f"authority_unseeded, {decided.reason}")
    heaviest = max(weight or 0.0 for weight in theirs)
    if (mine or 0.0) > heaviest:
        return Outcome("wins", f"authority {mine or 0.0:g} > {heaviest:g}")
    return Outcome("dispute", f"authority {mine or 0.0:g} <= {heaviest:g}")


def consensus(contest: Contest) -> Outcome:
    """Independent origins are counted, not voices: the quorum reached and strictly more of them wins."""
    own = (contest.agent, contest.origins)
    mine = independent([own, *((row.agent, row.origins) for row in contest.backers)])
    theirs = independent([(row.agent, row.origins) for row in contest.opponents])
    quorum = contest.rules.rule_for(contest.slot).quorum
    if mine >= quorum and mine > theirs:
        return Outcome("wins", f"consensus {mine} > {theirs}, quorum {quorum}")
    return Outcome("dispute", f"consensus {mine} against {theirs}, quorum {quorum}")


def llm_judge(contest: Contest) -> Outcome:
    """A judge is asked; until its verdict comes the statement waits as a candidate."""
    return Outcome("pending", "judge_asked")


def independent(voices: Sequence[tuple[str, tuple[str, ...]]]) -> int:
    """How many independent origins stand behind the voices (agent, origins).

    Agents that share an origin are one vote, and so are all statements of one agent: votes are the connected parts
    of the graph of agents and origins.
    """
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for agent, origins in voices:
        for origin in origins:
            parent[root("o" + origin)] = root("a" + agent)
    return len({root("a" + agent) for agent, _ in voices})


STRATEGIES: dict[str, Callable[[Contest], Outcome]] = {
    "recency": recency,
    "authority": authority,
    "consensus": consensus,
    "llm-judge": llm_judge,
}


def contest_by(strategy: str, contest: Contest) -> Outcome:
    """Runs the named strategy. One this program does not know is a dispute: a person decides, nothing is lost."""
    known = STRATEGIES.get(strategy)
    if known is None:
        return Outcome("dispute", f"strategy {strategy} is not available")
    return known(contest)
