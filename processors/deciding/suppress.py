"""Case a: what was taken back or ruled on does not come back by being told again."""

from processors.deciding.change import Ruling
from processors.deciding.compare import compare
from processors.deciding.disputes import park
from processors.deciding.endings import challenge_end
from processors.deciding.model import Standing
from processors.deciding.statement import Statement


def suppressed(statement: Statement) -> Ruling | None:
    """SUPPRESSED for evidence that a retraction covers or that a ruling has weighed; None when the table goes on."""
    proposal = statement.proposal
    for row in statement.ws.retractions_of(statement.slot.key):
        if row.value_key in ("", statement.value.key) and proposal.event_time <= row.up_to:
            return Ruling("a", "SUPPRESSED", "retracted", None)
    key = f"ending:{statement.value.key}" if proposal.ended else statement.value.key
    ruling = statement.ws.standings.get((statement.slot.key, key, proposal.polarity))
    if ruling is None or ruling.ruling != "rejected":
        return None
    if not proposal.ended and statement.twin("active") is not None:
        return None  # it is believed again
    news = _news(statement, ruling)
    if news is None:
        return Ruling("a", "SUPPRESSED", "ruled", None)
    return challenge_end(statement, f"ruled before, {news}") if proposal.ended else _again(statement, news)


def _news(statement: Statement, ruling: Standing) -> str | None:
    """What is new since the ruling: a heavier source, or an origin of another agent; None when nothing is."""
    weight = statement.rules.weight(statement.agent, statement.slot.key)
    if weight is not None and ruling.weight is not None and weight > ruling.weight:
        return "heavier_source"
    known = set(ruling.origins)
    fresh = statement.agent not in ruling.agents and any(name not in known for name in statement.origins())
    return "new_origin" if fresh else None


def _again(statement: Statement, news: str) -> Ruling | None:
    """A rejected value with new support is a new dispute, whatever the strategy says: a person ruled on it.

    None when the table goes on: the dispute is open already, what was upheld is gone or its own agent takes it back,
    or the statement is unsure or late and would not dispute anything.
    """
    twin = statement.twin("disputed", "candidate")
    own = statement.own_latest()
    late = own is not None and own.order > statement.order
    if late or statement.unsure() or statement.withheld() or (twin is not None and twin.status == "disputed"):
        return None
    polarity, cardinality = statement.proposal.polarity, statement.slot.cardinality
    active = statement.ws.active(statement.cell)
    conflicts = [
        row for row in active if compare(row, statement.value, polarity, cardinality) == "contradicts"
    ] + statement.excluded()
    if not statement.opponents(conflicts):
        return None
    claim = statement.become("disputed", "ruled_before", twin)
    statement.support(claim)
    strategy = statement.rules.rule_for(statement.slot.key).strategy
    park(statement, claim, conflicts, strategy, f"ruled before, {news}")
    return Ruling("a", "DISPUTED", f"ruled_before, {news}", claim.id, strategy)
