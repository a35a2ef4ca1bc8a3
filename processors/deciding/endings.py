""" "No longer": case d of the decision table."""

from datetime import datetime

from processors.deciding.change import Ruling
from processors.deciding.disputes import park
from processors.deciding.model import Claim, Ending
from processors.deciding.past import keep_past
from processors.deciding.statement import Statement
from schemas.values import TypedValue


def end(statement: Statement) -> Ruling:
    """Closes the matching claim; leaves a marker, so that an older assertion that arrives later is closed too."""
    if statement.unsure():
        return Ruling("h", "CANDIDATE", "unsure_ending", None)
    matching = [claim for claim in statement.ws.active(statement.cell) if _matches(statement, claim)]
    own = statement.own_latest()
    if own is not None and own.order > statement.order:
        matching = []
    if not matching:
        _mark(statement)
        past = keep_past(statement, _ended_at(statement))
        return Ruling("d", "HISTORY", "nothing_to_end", past.id if past is not None else None)
    opponents = statement.opponents(matching)
    strategy, verdict, reason = "", "wins", "own_claim"
    if opponents:
        strategy, outcome = statement.contest(opponents)
        verdict, reason = outcome.verdict, outcome.reason
    if verdict == "older":
        _mark(statement)
        return Ruling("d", "HISTORY", reason, None, strategy)
    if verdict == "wins" and not statement.weak:
        _mark(statement)
        for claim in matching:
            until = max(claim.valid_from, _ended_at(statement))
            statement.set_status(claim, "ended", "no_longer", valid_to=until)
        return Ruling("d", "ENDED", reason, matching[0].id, strategy)
    return _challenge(statement, matching, strategy, "weak_alignment" if verdict == "wins" else reason)


def challenge_end(statement: Statement, reason: str) -> Ruling | None:
    """An end that a person has ruled out, said with something new: a dispute again; None when nothing is there."""
    matching = [claim for claim in statement.ws.active(statement.cell) if _matches(statement, claim)]
    return _challenge(statement, matching, "", reason) if matching else None


def challenge_retraction(statement: Statement) -> Ruling:
    """Another agent's claim is said to have been wrong, and no policy lets this agent take it back."""
    key = statement.value.key
    matching = [
        row for row in statement.ws.active(statement.cell) if not statement.value.text or row.value.key == key
    ]
    return _challenge(statement, matching, "", "taken back by another agent")


def _challenge(statement: Statement, matching: list[Claim], strategy: str, reason: str) -> Ruling:
    """Another agent's claim is said to have ended and no policy decides: a challenger with an empty value."""
    ended = statement.value
    statement.value = TypedValue(type="ending", text="", key=f"ending:{ended.key}", within=(ended.key,))
    parked = statement.twin("disputed")
    claim = statement.confirm(parked) if parked else statement.add_claim("disputed", reason)
    statement.support(claim)
    strategy = strategy or statement.rules.rule_for(statement.slot.key).strategy
    park(statement, claim, matching, strategy, reason)
    return Ruling("d", "DISPUTED", reason, claim.id, strategy)


def _matches(statement: Statement, claim: Claim) -> bool:
    if not statement.proposal.content.candidates[0].value.text:
        return True
    key = statement.value.key
    return claim.polarity == statement.proposal.polarity and (
        key == claim.value.key or key in claim.value.within
    )


def _ended_at(statement: Statement) -> datetime:
    return statement.proposal.valid_to or statement.proposal.event_time


def _mark(statement: Statement) -> None:
    """Keeps the latest "no longer" per value."""
    key = statement.value.key if statement.value.text else ""
    held = statement.ws.endings.get((statement.slot.key, key))
    if held is not None and held.order > statement.order:
        return
    at = _ended_at(statement)
    row = Ending(statement.slot.key, key, statement.agent, statement.order, at, statement.proposal.id)
    statement.ws.put_ending(row)
