"""Making a claim the active one of its cell: whatever is active there gives way, or already says it."""

from dataclasses import replace

from processors.deciding.change import Change
from processors.deciding.compare import compare
from processors.deciding.model import CellKey, Claim
from schemas.claims import Status
from schemas.facts import Cardinality


def cardinality_of(cell: CellKey) -> Cardinality:
    """A cell of a ``one`` slot holds all its values, one of a ``many`` slot a single one."""
    return "many" if cell.value_key else "one"


def conflicting(change: Change, claim: Claim) -> list[Claim]:
    """The active claims of the cell that cannot hold together with ``claim``, or of which no rule can tell."""
    active = change.ws.active(claim.cell)
    if claim.value.type == "ending":
        return [other for other in active if _ends(claim, other)]
    return [
        other
        for other in active
        if other.id != claim.id and _relation(other, claim) in ("contradicts", "undecided")
    ]


def place(change: Change, claim: Claim, reason: str, status: Status = "superseded") -> Claim:
    """Makes ``claim`` active; returns the claim that now says it.

    What it contradicts or says more precisely gets ``status``. If an active claim says it already, or more precisely,
    its supporters go there. A period that is over is history: it displaces nothing.
    """
    if claim.valid_to is not None and claim.valid_to <= change.at:
        return change.set_status(claim, "ended", reason)
    others = [row for row in change.ws.active(claim.cell) if row.id != claim.id]
    for other in others:
        if _relation(other, claim) in ("same", "general", "implied"):
            return absorb(change, claim, other)
    placed = change.set_status(claim, "active", reason, superseded_by=None)
    for other in others:
        if _relation(other, claim) == "refines":
            for heir in change.ws.supporters(other):
                change.ws.put_support(replace(heir, claim_id=claim.id))
    displace(change, others, placed, reason, status)
    return placed


def absorb(change: Change, claim: Claim, holder: Claim) -> Claim:
    """``holder`` says what ``claim`` says: the claim becomes its history and hands over its supporters."""
    implied = _relation(holder, claim) == "implied"
    for row in change.ws.supporters(claim):
        if implied:
            change.ws.remove_support(claim.cell, row.agent)
        else:
            change.ws.put_support(replace(row, claim_id=holder.id))
    until = claim.valid_to or max(claim.valid_from, change.at)
    change.set_status(claim, "superseded", "said_by_another", valid_to=until, superseded_by=holder.id)
    return change.touch(change.ws.claims[holder.id], "support")


def displace(
    change: Change, claims: list[Claim], successor: Claim, reason: str, status: Status = "superseded"
) -> None:
    """Closes what ``successor`` takes the place of."""
    for claim in claims:
        current = change.ws.claims[claim.id]
        if current.status != "active":
            continue
        until = max(current.valid_from, successor.valid_from)
        change.set_status(current, status, reason, valid_to=until, superseded_by=successor.id)


def end_by(change: Change, claims: list[Claim], challenge: Claim, reason: str) -> None:
    """An accepted challenge with an empty value: what it named has ended."""
    for claim in claims:
        until = max(claim.valid_from, challenge.valid_from)
        change.set_status(claim, "ended", reason, valid_to=until)
    change.set_status(challenge, "ended", reason)


def _relation(other: Claim, claim: Claim) -> str:
    return compare(other, claim.value, claim.polarity, cardinality_of(claim.cell))


def _ends(challenge: Claim, other: Claim) -> bool:
    ended = challenge.value.within[0] if challenge.value.within else ""
    return not ended or ended == other.value.key or ended in other.value.within
