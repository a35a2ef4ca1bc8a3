"""What is only known because it is over ("I used to take the tram"): a claim of the past, with no known beginning."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from processors.deciding.model import Claim
from processors.deciding.statement import Statement

#: The reason of such a claim. Its period is its end alone until an older assertion tells since when it held.
OVER: Final = "only_its_end_is_known"


def keep_past(statement: Statement, ended_at: datetime) -> Claim | None:
    """The claim of an end that met nothing, for history; None where the value is known anyhow, or none was named."""
    proposal = statement.proposal
    if not statement.value.text or statement.weak or proposal.kind == "episodic":
        return None
    if any(
        _same(statement, claim) and claim.status != "candidate"
        for claim in statement.ws.cell_claims(statement.cell)
    ):
        return None
    until = ended_at
    if statement.slot.cardinality == "one" and proposal.valid_to is None:
        # It cannot have held longer than until the present value began.
        until = min([ended_at, *(claim.valid_from for claim in statement.ws.active(statement.cell))])
    claim = statement.add_claim("ended", OVER, valid_to=until)
    return statement.touch(replace(claim, valid_from=min(proposal.valid_from or until, until)), "added")


def reach_back(statement: Statement) -> Claim | None:
    """Lets such a claim begin with an older assertion that comes only now; None when there is none it would fit."""
    claim = waiting_for(statement)
    if claim is None:
        return None
    own = statement.own_latest()
    if own is None or own.order < statement.order:
        statement.support(claim)
    confidence = max(claim.confidence, statement.proposal.confidence)
    start = min(claim.valid_from, statement.valid_from)
    return statement.touch(replace(claim, valid_from=start, confidence=confidence), "confirmed")


def waiting_for(statement: Statement) -> Claim | None:
    """The claim of the past whose beginning the statement tells.

    None where something else was said that may have held then or later: what the statement does to that, and that to
    the statement, must be decided too.
    """
    proposal = statement.proposal
    guessed = proposal.basis == "inferred" or proposal.confidence < statement.rules.policy.min_confidence
    if proposal.ended or guessed or statement.weak or statement.excludes():
        return None
    if statement.closing() is None:
        return None
    found = None
    for claim in statement.ws.cell_claims(statement.cell):
        if claim.reason == OVER and claim.status == "ended" and _same(statement, claim):
            found = claim
        elif claim.status != "candidate" and claim.reach >= statement.valid_from:
            return None
    fits = found is not None and found.valid_to is not None and statement.valid_from <= found.valid_to
    return found if fits else None


def _same(statement: Statement, claim: Claim) -> bool:
    return claim.value.key == statement.value.key and claim.polarity == statement.proposal.polarity
