"""The decision table for statements: first match wins.

=== ======================================================== ==========================================================
 a  covered by a retraction, erasure or standing ruling      SUPPRESSED (see processors.deciding.suppress)
 b  older than the agent's own latest, or a closed period    HISTORY, closed at the next assertion; moves no support
 c  ``same``, or more general than the active claim          NOOP: evidence, support, last confirmed
 h  ``inferred``, confidence below ``min_confidence``, held  CANDIDATE: never supersedes, never disputes
 d  ``ended``                                                ENDED, or a challenge when others support the claim
 e  ``refines``                                              UPDATE, support is inherited; never a dispute
 f  ``contradicts``, nobody else supports the claim          REPLACE
 g  ``contradicts``, others support it                       the strategy: SUPERSEDE, HISTORY or DISPUTED
 i  undecided                                                CANDIDATE and a review beside an active claim, else ADD
 j  otherwise                                                ADD
=== ======================================================== ==========================================================

What is said of an unresolved mention is a candidate of case ``h``, whatever it meets, with a review.
``h`` is looked at before ``d`` to ``g``, because what is inferred must neither supersede nor dispute.
"""

from dataclasses import replace

from processors.deciding.change import HELD, Ruling
from processors.deciding.compare import Relation, compare
from processors.deciding.disputes import park, settle
from processors.deciding.endings import end
from processors.deciding.guesses import outdo_guesses, outdone
from processors.deciding.judging import ask
from processors.deciding.limits import may_dispute
from processors.deciding.model import CellKey, Claim
from processors.deciding.past import reach_back
from processors.deciding.placing import displace
from processors.deciding.statement import Statement
from processors.deciding.strategies import Outcome
from processors.deciding.suppress import suppressed
from processors.identity.naming import is_unresolved


def decide(statement: Statement) -> Ruling:
    """Applies the table to one statement and changes the working set accordingly."""
    proposal = statement.proposal
    barred = suppressed(statement)
    if barred is not None:
        return barred
    if is_unresolved(proposal.entity) and not proposal.ended:
        return _unresolved(statement)
    if statement.held:
        return _held(statement)
    own = statement.own_latest()
    if own is not None and own.order > statement.order and not proposal.ended:
        return history(statement, "b", "own_later")
    if proposal.valid_to is not None and proposal.valid_to <= proposal.event_time and not proposal.ended:
        return history(statement, "b", "closed_period")
    if proposal.ended:
        return end(statement)
    past = reach_back(statement)
    if past is not None:
        return Ruling("b", "HISTORY", "reaches_back", past.id)
    return outdo_guesses(statement, _assertion(statement))


def decide_and_settle(statement: Statement) -> Ruling:
    """Decides the statement, then runs the open disputes again that it may have changed."""
    ruling = decide(statement)
    settle(statement, statement.cell)
    if statement.slot.cardinality == "many":
        for key in statement.excludes():
            settle(statement, CellKey(statement.slot.key, key), statement.ws.active(statement.cell))
    return ruling


def _assertion(statement: Statement) -> Ruling:
    relations = _relations(statement)
    for relation in ("same", "general", "implied"):
        if relation in relations:
            return _noop(statement, relation, relations[relation][0])
    if statement.unsure():
        ruling = _candidate(statement, "h", statement.unsure())
        return outdone(statement, ruling, relations.get("contradicts", []))
    if statement.valid_from > statement.proposal.event_time:
        claim = statement.become("scheduled", "valid_later", statement.twin("scheduled"))
        return Ruling("j", "SCHEDULED", "valid_later", claim.id)
    for relation in ("refines", "specifies"):
        if relation in relations:
            return _update(statement, relation, relations[relation][0])
    if "contradicts" in relations:
        return _contradiction(statement, relations["contradicts"])
    if "undecided" in relations:
        ruling = _candidate(statement, "i", "unresolved")
        statement.review("undecided", relations["undecided"][0])
        return ruling
    if statement.withheld():
        return _candidate(statement, "i", "weak_alignment")
    later = statement.overtaken_by() if statement.slot.cardinality == "many" else []
    if later and statement.contest(later)[1].verdict == "older":
        return history(statement, "b", "overtaken")
    return _add(statement)


def _relations(statement: Statement) -> dict[Relation, list[Claim]]:
    found: dict[Relation, list[Claim]] = {}
    for claim in statement.ws.active(statement.cell):
        relation = compare(claim, statement.value, statement.proposal.polarity, statement.slot.cardinality)
        found.setdefault(relation, []).append(claim)
    excluded = statement.excluded()
    if excluded:
        found.setdefault("contradicts", []).extend(excluded)
    return found


def _noop(statement: Statement, relation: Relation, claim: Claim) -> Ruling:
    """More evidence for what is believed. What only follows from it, or is inferred, adds no supporter."""
    if relation == "implied" or statement.unsure():
        return Ruling("c", "NOOP", relation if relation == "implied" else "same_unsure", claim.id)
    if str(claim.id) in statement.proposal.recalled or f"claim:{claim.id}" in statement.proposal.origins:
        return Ruling("c", "NOOP", "echo", claim.id)
    confirmed = statement.confirm(claim)
    statement.support(claim)
    if relation == "same" and statement.valid_from < claim.valid_from:
        _reach_back(statement, confirmed)
    return Ruling("c", "NOOP", relation, claim.id)


def _reach_back(statement: Statement, claim: Claim) -> None:
    """An older observation of the same value: it held since then, if nothing else was said in between."""
    between = statement.next_assertion(statement.valid_from)
    if between is None or between >= claim.valid_from:
        statement.touch(replace(claim, valid_from=statement.valid_from), "confirmed")


def _candidate(statement: Statement, case: str, reason: str) -> Ruling:
    twin = statement.twin("candidate", "disputed")
    if twin is not None:
        return Ruling(case, "CANDIDATE", reason, twin.id)
    claim = statement.add_claim("candidate", reason)
    return Ruling(case, "CANDIDATE", reason, claim.id)


def _unresolved(statement: Statement) -> Ruling:
    """Nobody knows yet whom it is about: kept, not believed, and a person is asked to assign it."""
    known = statement.twin("candidate")
    ruling = _candidate(statement, "h", "unresolved")
    if known is None and ruling.claim_id is not None:
        proposal = statement.proposal
        meant = " or ".join(proposal.suggested) or "nobody known"
        said = proposal.content.mention.text
        text = f"{said!r} may be {meant}: {proposal.content.text}"
        statement.review("unresolved", statement.ws.claims[ruling.claim_id], text=text[:4096])
    return ruling


def _held(statement: Statement) -> Ruling:
    """A guard keeps it from being believed, and from ending what is: a person may confirm it."""
    reason = statement.unsure()
    said = _relations(statement).get("same") if not statement.proposal.ended else None
    if said:
        return Ruling("c", "NOOP", "same_unsure", said[0].id)
    known = statement.twin("candidate")
    ruling = (
        Ruling("h", "CANDIDATE", reason, None)
        if statement.proposal.ended
        else _candidate(statement, "h", reason)
    )
    if statement.held == "instruction" and known is None:
        claim = statement.ws.claims[ruling.claim_id] if ruling.claim_id is not None else None
        statement.review(reason, claim, statement.proposal.content.text, HELD)
    return ruling


def _update(statement: Statement, relation: Relation, old: Claim) -> Ruling:
    """A more precise value takes the place of the claim; those who said the general value are not contradicted."""
    if statement.weak:
        ruling = _candidate(statement, "e", "weak_alignment")
        statement.review("weak_refinement", old)
        return ruling
    if _overtaken(statement, relation, old):
        return history(statement, "b", "overtaken")
    heirs = statement.ws.supporters(old) if relation == "refines" else []
    claim = statement.become("active", relation, statement.twin("candidate", "disputed"))
    for heir in heirs:
        statement.ws.put_support(replace(heir, claim_id=claim.id))
    statement.support(claim)
    displace(statement, [old], claim, relation)
    return _closed_later(statement, claim, Ruling("e", "UPDATE", relation, claim.id))


def _overtaken(statement: Statement, relation: Relation, old: Claim) -> bool:
    """Late, and the agents have said something else since: then it is history, not a more precise present."""
    supports = [row.order for row in statement.ws.supporters(old)]
    if not supports or statement.order > max(supports):
        return False
    if relation == "specifies" and statement.proposal.polarity == "-":
        return True
    moment = statement.valid_from
    return any(
        other.id != old.id
        and other.status not in ("candidate", "disputed", "scheduled")
        and (other.valid_to is None or other.valid_to > moment)
        and compare(other, statement.value, statement.proposal.polarity, "one") == "contradicts"
        for other in statement.ws.cell_claims(statement.cell)
    )


def _contradiction(statement: Statement, conflicts: list[Claim]) -> Ruling:
    opponents = statement.opponents(conflicts)
    if not opponents:
        case, strategy, outcome = "f", "", Outcome("wins", "own_claim")
    else:
        case, (strategy, outcome) = "g", statement.contest(opponents)
    if outcome.verdict == "older":
        return _late(statement, outcome.reason, strategy)
    if outcome.verdict == "wins" and not statement.weak:
        return win(statement, case, outcome.reason, conflicts, strategy)
    if statement.withheld():
        ruling = _candidate(statement, case, "weak_alignment")
        statement.review("weak_contradiction", conflicts[0])
        return replace(ruling, strategy=strategy)
    parked = statement.twin("disputed")
    if outcome.verdict == "pending" and not statement.weak and parked is None:
        return replace(_ask(statement, case, conflicts), strategy=strategy)
    if outcome.verdict == "pending" and parked is not None:
        reason = "judge_undecided"
    else:
        reason = "weak_alignment" if outcome.verdict == "wins" else outcome.reason
    if parked is not None:
        claim = statement.confirm(parked)
    elif not may_dispute(statement):
        return replace(_candidate(statement, case, statement.unsure()), strategy=strategy)
    else:
        claim = statement.become("disputed", reason, statement.twin("candidate"))
    statement.support(claim)
    named = strategy or statement.rules.rule_for(statement.slot.key).strategy
    park(statement, claim, conflicts, named, reason)
    return Ruling(case, "DISPUTED", reason, claim.id, strategy)


def _ask(statement: Statement, case: str, conflicts: list[Claim]) -> Ruling:
    """The judge is asked once about a value; who says it again meanwhile stands behind it."""
    waiting = statement.twin("candidate")
    if waiting is not None and waiting.reason == "pending_judge":
        statement.support(statement.confirm(waiting))
        return Ruling(case, "PENDING", "already_asked", waiting.id)
    claim = statement.become("candidate", "pending_judge", waiting)
    statement.support(claim)
    ask(statement, claim, conflicts, 1)
    return Ruling(case, "PENDING", "judge_asked", claim.id)


def win(statement: Statement, case: str, reason: str, conflicts: list[Claim], strategy: str = "") -> Ruling:
    """The statement takes the place of what it contradicts."""
    claim = statement.become("active", reason, statement.twin("candidate", "disputed", "scheduled"))
    statement.support(claim)
    displace(statement, conflicts, claim, "replaced" if case == "f" else reason)
    name = "REPLACE" if case == "f" else "SUPERSEDE"
    return _closed_later(statement, claim, Ruling(case, name, reason, claim.id, strategy))


def _late(statement: Statement, reason: str, strategy: str) -> Ruling:
    """Older than what others confirmed since: history, yet the agent's own latest word in the cell."""
    ruling = history(statement, "g", reason)
    if ruling.claim_id is not None:
        statement.support(statement.ws.claims[ruling.claim_id])
    return replace(ruling, strategy=strategy)


def _add(statement: Statement) -> Ruling:
    claim = statement.become("active", "added", statement.twin("candidate", "disputed", "scheduled"))
    statement.support(claim)
    spec = statement.rules.registry.get(statement.slot.key.predicate)
    if spec is not None and spec.value_type not in ("text", "thing") and statement.value.type == "text":
        statement.review(f"value is not a {spec.value_type}", claim)
    return _closed_later(statement, claim, Ruling("j", "ADD", "new_claim", claim.id))


def _closed_later(statement: Statement, claim: Claim, ruling: Ruling) -> Ruling:
    """Closes what was just said when a later "no longer" is already known."""
    ending = statement.closing()
    if ending is None:
        return ruling
    current = statement.ws.claims[claim.id]
    statement.set_status(current, "ended", "ended_later", valid_to=max(ending.ended_at, current.valid_from))
    return replace(ruling, rule=f"{ruling.rule}, ended_later")


def history(statement: Statement, case: str, rule: str) -> Ruling:
    """Keeps a past statement without changing what is believed now: its own period, closed at the next assertion."""
    moment, proposal = statement.valid_from, statement.proposal
    for claim in statement.ws.cell_claims(statement.cell):
        same = claim.value.key == statement.value.key and claim.polarity == proposal.polarity
        if same and claim.status != "candidate" and claim.valid_from <= moment:
            if claim.valid_to is None or moment < claim.valid_to:
                return Ruling(case, "HISTORY", f"{rule}, known", claim.id)
    after = statement.next_assertion(moment)
    follower = statement.twin("active")
    if proposal.valid_to is None and follower is not None and after == follower.valid_from:
        statement.touch(replace(follower, valid_from=moment), "confirmed")
        return Ruling(case, "HISTORY", f"{rule}, reaches_back", follower.id)
    ending = statement.closing()
    ends = [
        at for at in (proposal.valid_to, after, ending.ended_at if ending else None) if at and at > moment
    ]
    until = min(ends, default=moment)
    closed = proposal.valid_to == until or (ending is not None and ending.ended_at == until)
    claim = statement.add_claim("ended" if closed else "superseded", rule, valid_to=until)
    return Ruling(case, "HISTORY", rule, claim.id)
