"""One statement while it is decided, and the ways in which it can change the working set."""

from dataclasses import dataclass, replace
from datetime import datetime

from processors.deciding.change import HELD, Change
from processors.deciding.model import CellKey, Claim, Ending, SlotKey, Support, earliest
from processors.deciding.strategies import Contest, Outcome, contest_by
from schemas.claims import Status
from schemas.facts import Basis, Cardinality
from schemas.ids import derived_id
from schemas.inbox import Held, Match, Proposal
from schemas.values import TypedValue


@dataclass(slots=True, kw_only=True)
class Statement(Change):
    """A proposal with its fixed predicate, its cell and the state around it."""

    proposal: Proposal
    cell: CellKey
    value: TypedValue
    match: Match

    #: How many values its predicate holds by what is known now; the slot may have been settled with another number.
    cardinality: Cardinality = "many"
    #: Why a guard keeps it from being believed by itself.
    held: Held = ""
    #: Whether this is its first decision, which counts towards its agent's limits.
    metered: bool = False

    def hold(self, why: Held, *, first: bool) -> None:
        """Keeps the statement from being believed by itself; ``first``: a person is told."""
        self.held = why
        if first:
            told = f"{self.agent} is over its {why.replace('_', ' ')}: {self.proposal.content.text}"
            self.review(why, None, told[:4096], HELD)

    # -- reading ------------------------------------------------------------------------------------------------
    @property
    def weak(self) -> bool:
        return self.match == "weak"

    @property
    def valid_from(self) -> datetime:
        return self.proposal.valid_from or self.proposal.event_time

    def own_latest(self) -> Support | None:
        return self.ws.supports.get(self.cell, {}).get(self.agent)

    def unsure(self) -> str:
        """Why the statement is not to be relied on; empty when it is."""
        if self.held:
            return "quarantined" if self.held == "instruction" else self.held
        if self.proposal.basis == "inferred":
            return "inferred"
        return "low_confidence" if self.proposal.confidence < self.rules.policy.min_confidence else ""

    def opponents(self, conflicts: list[Claim]) -> list[Support]:
        """The other agents that support what this statement contradicts."""
        rows = (support for claim in conflicts for support in self.ws.supporters(claim))
        return [support for support in rows if support.agent != self.agent]

    def excluded(self) -> list[Claim]:
        """Active claims of other values that a rule of the registry says cannot hold together with this one."""
        if self.proposal.polarity == "-" or self.slot.cardinality == "one":
            return []
        found = (claim for key in self.excludes() for claim in self.ws.active(CellKey(self.slot.key, key)))
        return [claim for claim in found if claim.polarity == "+"]

    def excludes(self) -> tuple[str, ...]:
        """Keys of values that cannot hold together with the stated one, by a rule of the registry."""
        rows = self.proposal.content.candidates
        return next((row.excludes for row in rows if row.predicate == self.slot.key.predicate), ())

    def overtaken_by(self) -> list[Support]:
        """Later assertions of other agents in a cell of one value that say the contrary, active or ended since."""
        rows = self.ws.supports.get(self.cell, {}).values()
        return [row for row in rows if row.order > self.order and self._contrary(row)]

    def _contrary(self, row: Support) -> bool:
        claim = self.ws.claims.get(row.claim_id)
        return claim is not None and row.agent != self.agent and claim.polarity != self.proposal.polarity

    def contest(self, opponents: list[Support]) -> tuple[str, Outcome]:
        """The strategy of the slot and what it says about this statement against ``opponents``."""
        rule = self.rules.rule_for(self.slot.key)
        if self.rules.of_registry(self.slot.key) is not None:
            self.detail["strategy_of"] = "registry"
        twin = self._stated_before()
        backers = [row for row in self.ws.supporters(twin) if row.agent != self.agent] if twin else []
        contest = Contest(
            slot=self.slot.key,
            agent=self.agent,
            order=self.order,
            origins=self.origins(),
            backers=backers,
            opponents=opponents,
            rules=self.rules,
            weight_limit=self._weakest_source(),
        )
        return rule.strategy, contest_by(rule.strategy, contest)

    def _stated_before(self) -> Claim | None:
        """The claim that says what this statement says; for an end, the open challenge that says it."""
        if not self.proposal.ended and self.proposal.act == "assert":
            return self.twin("active", "disputed", "candidate")
        key = f"ending:{self.value.key}"
        rows = self.ws.cell_claims(self.cell)
        return next((row for row in rows if row.status == "disputed" and row.value.key == key), None)

    def origins(self) -> tuple[str, ...]:
        """The statement's origins; one that is a claim stands for the origins of its supporters."""
        found: dict[str, None] = {}
        for origin in self.proposal.origins:
            claim = self._claim_of(origin)
            rows = self.ws.supporters(claim) if claim is not None else []
            found.update(
                dict.fromkeys(name for row in rows for name in row.origins) if rows else {origin: None}
            )
        return tuple(found)

    def _claim_of(self, origin: str) -> Claim | None:
        """The live claim of this cell that is named: of any other it depends on the batch whether it was loaded."""
        if not origin.startswith("claim:"):
            return None
        name = origin.removeprefix("claim:")
        rows = self.ws.cell_claims(self.cell)
        return next((row for row in rows if row.live and str(row.id) == name), None)

    def _weakest_source(self) -> float | None:
        """The smallest weight among the agents that a derived statement was taken from, as far as the slot knows."""
        own = f"{self.proposal.source}:{self.proposal.event_id}"
        taken = set(self.origins()) - {own}
        if not taken:
            return None
        rows = (
            row
            for cell, rows in self.ws.supports.items()
            if cell.slot == self.slot.key
            for row in rows.values()
        )
        agents = {row.agent for row in rows if taken & set(row.origins) and row.agent != self.agent}
        weights = [self.rules.weight(agent, self.slot.key) or 0.0 for agent in agents]
        return min(weights, default=None)

    def twin(self, *statuses: Status) -> Claim | None:
        """A claim of the cell with the same value and polarity in one of ``statuses``."""
        for claim in self.ws.cell_claims(self.cell):
            same = claim.value.key == self.value.key and claim.polarity == self.proposal.polarity
            if same and claim.status in statuses:
                return claim
        return None

    def closing(self) -> Ending | None:
        """A later "no longer" that already closes what is being said, if its source may close it."""
        if self.proposal.polarity != "+":
            return None
        # In a slot of many values each stands for itself: that one ends says nothing of what lies within it.
        wider = self.value.within if self.slot.cardinality == "one" else ()
        for ending in self.ws.endings_for(self.slot.key, (self.value.key, *wider)):
            if ending.order > self.order and self._may_close(ending):
                return ending
        return None

    def _may_close(self, ending: Ending) -> bool:
        strategy = self.rules.rule_for(self.slot.key).strategy
        if ending.agent == self.agent or strategy == "recency":
            return True
        if strategy != "authority":
            return False
        mine = self.rules.weight(self.agent, self.slot.key)
        theirs = self.rules.weight(ending.agent, self.slot.key)
        return (mine is None and theirs is None) or (theirs or 0.0) > (mine or 0.0)

    def next_assertion(self, moment: datetime) -> datetime | None:
        """When the cell was next asserted after ``moment``: there a late fact's period ends."""
        starts = [claim.valid_from for claim in self.ws.cell_claims(self.cell) if claim.status != "candidate"]
        confirmed = [support.order.at for support in self.ws.supports.get(self.cell, {}).values()]
        return earliest(at for at in (*starts, *confirmed) if at > moment)

    # -- changing -----------------------------------------------------------------------------------------------
    def add_claim(self, status: Status, reason: str, valid_to: datetime | None = None) -> Claim:
        """A new claim from this statement."""
        proposal = self.proposal
        claim = Claim(
            id=derived_id(proposal.id, "claim"),
            cell=self.cell,
            value=self.value,
            polarity=proposal.polarity,
            kind=proposal.kind,
            basis=proposal.basis,
            status=status,
            reason=reason,
            text=proposal.content.text,
            vector=proposal.content.vector,
            embedding_model=proposal.embedding_model,
            confidence=proposal.confidence,
            valid_from=self.valid_from,
            valid_to=valid_to if valid_to is not None else proposal.valid_to,
            last_confirmed=proposal.event_time,
            order=self.order,
            slot_version=self.slot.version + (0 if self.slot_touched else 1),
            created_by=proposal.id,
            decided_by=proposal.id,
            weak=self.weak,
        )
        self.changed[claim.id] = status
        return self.touch(claim, "added")

    def become(self, status: Status, reason: str, twin: Claim | None) -> Claim:
        """The claim of this statement in ``status``: a parked one with the same value, else a new one."""
        if twin is None:
            return self.add_claim(status, reason)
        basis: Basis = "observed" if "observed" in (self.proposal.basis, twin.basis) else "inferred"
        confidence = max(twin.confidence, self.proposal.confidence)
        start = min(twin.valid_from, self.valid_from) if status == twin.status else self.valid_from
        weak = twin.weak and self.weak
        return self.set_status(
            twin,
            status,
            reason,
            confidence=confidence,
            valid_from=start,
            valid_to=self.proposal.valid_to,
            weak=weak,
            basis=basis,
        )

    def withheld(self) -> bool:
        """Weakly aligned, while its agent said something else plainly: that stays the agent's word in the cell."""
        own = self.own_latest()
        held = self.ws.claims.get(own.claim_id) if own is not None else None
        return self.weak and held is not None and held.live

    def support(self, claim: Claim) -> None:
        """Makes this agent a supporter of ``claim``; in a cell it supports only its latest assertion.

        A weakly aligned statement corroborates but does not withdraw what the agent said plainly.
        """
        own = self.own_latest()
        if self.withheld() and own is not None and own.claim_id != claim.id:
            return
        self.put_support(claim, self.agent, self.proposal.confidence, self.origins())

    def confirm(self, claim: Claim) -> Claim:
        """Another observation of a claim: later confirmation, the best confidence seen (never added up)."""
        confirmed = replace(
            claim,
            last_confirmed=max(claim.last_confirmed, self.proposal.event_time),
            confidence=max(claim.confidence, self.proposal.confidence),
        )
        return self.touch(confirmed, "confirmed")


def slot_key(proposal: Proposal, predicate: str) -> SlotKey:
    return SlotKey(proposal.tenant, proposal.entity, predicate, proposal.scope)
