"""What was only guessed gives way to what was observed, whoever guessed and whichever of the two arrives first."""

from typing import Final

from processors.deciding.change import Ruling
from processors.deciding.compare import compare
from processors.deciding.model import Claim
from processors.deciding.statement import Statement

#: Why a candidate is a guess.
GUESSED: Final = ("inferred", "low_confidence")
_BELIEVED: Final = ("ADD", "NOOP", "UPDATE", "REPLACE", "SUPERSEDE")


def outdo_guesses(statement: Statement, ruling: Ruling) -> Ruling:
    """After an observation: older guesses to the contrary are superseded by the claim that it made or confirmed."""
    held = statement.ws.claims.get(ruling.claim_id) if ruling.claim_id is not None else None
    if held is None or held.status != "active" or ruling.outcome not in _BELIEVED or statement.weak:
        return ruling
    for claim in statement.ws.cell_claims(statement.cell):
        guess = claim.status == "candidate" and claim.reason in GUESSED and claim.order < statement.order
        if guess and _contrary(statement, claim):
            _outdone(statement, claim, held)
    return ruling


def outdone(statement: Statement, ruling: Ruling, contrary: list[Claim]) -> Ruling:
    """After a guess: it is history where the contrary was observed later already."""
    guess = statement.ws.claims.get(ruling.claim_id) if ruling.claim_id is not None else None
    if guess is None or guess.reason not in GUESSED:
        return ruling
    for claim in contrary:
        if any(row.order > statement.order for row in statement.ws.supporters(claim)):
            _outdone(statement, guess, claim)
            return Ruling("h", "HISTORY", "observed_otherwise", guess.id)
    return ruling


def _contrary(statement: Statement, claim: Claim) -> bool:
    relation = compare(claim, statement.value, statement.proposal.polarity, statement.slot.cardinality)
    return relation == "contradicts"


def _outdone(statement: Statement, guess: Claim, observed: Claim) -> None:
    statement.set_status(
        guess,
        "superseded",
        "observed_otherwise",
        valid_to=max(guess.valid_from, observed.valid_from),
        superseded_by=observed.id,
    )
