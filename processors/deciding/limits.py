"""How much one agent may say of one entity: what is over the limit is kept as a candidate until a person confirms it.

Counted by event time and in inbox order, so that a replay counts the same; the counts are kept with the entity. Records
that come late count towards the current hour and day: an agent cannot evade a limit by dating back.
"""

from typing import Final

from processors.deciding.statement import Statement

#: The rules of decisions by which a guard holds a statement, as they are counted.
HELD_RULES: Final = ("quarantined", "rate_limit", "dispute_limit")
_HOUR_US: Final = 3_600_000_000
_DAY_US: Final = 24 * _HOUR_US
#: Of so many agents an entity keeps counts: those that spoke last. With more than that, the one that was silent longest
#: begins anew.
MAX_AGENTS: Final = 64

#: The hour, statements in it, the day, disputes in it.
_NOTHING: Final = [-1, 0, -1, 0]


def meter(statement: Statement) -> None:
    """Counts the statement, where it is decided for the first time; over the limit it is held."""
    limit = statement.rules.policy.limits.statements_per_hour
    hour, said, day, disputes = _counts(statement)
    now = statement.order.at_us // _HOUR_US
    said = said + 1 if now <= hour else 1
    _keep(statement, [max(now, hour), said, day, disputes])
    statement.metered = True
    if limit is not None and said > limit and not statement.proposal.held:
        statement.hold("rate_limit", first=said == limit + 1)


def may_dispute(statement: Statement) -> bool:
    """Counts a dispute that the statement would open; False when the agent has opened enough for the day."""
    limit = statement.rules.policy.limits.disputes_per_day
    if not statement.metered:
        return True
    hour, said, day, disputes = _counts(statement)
    today = statement.order.at_us // _DAY_US
    disputes = disputes + 1 if today <= day else 1
    _keep(statement, [hour, said, max(today, day), disputes])
    if limit is None or disputes <= limit:
        return True
    statement.hold("dispute_limit", first=disputes == limit + 1)
    return False


def _counts(statement: Statement) -> list[int]:
    return statement.entity.rates.get(statement.agent, _NOTHING)


def _keep(statement: Statement, counts: list[int]) -> None:
    # A new one, because a store may still hold the old; whoever spoke last stands last.
    rates = dict(statement.entity.rates)
    rates.pop(statement.agent, None)
    if len(rates) >= MAX_AGENTS:
        rates.pop(next(iter(rates)))
    rates[statement.agent] = counts
    statement.entity.rates = rates
