"""A small world for the decision tests: agents say things, the fold decides, questions are asked."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from processors.deciding.control import DEFAULT_POLICY
from processors.deciding.fold import fold
from processors.deciding.model import Claim, Decision, Dispute, SlotKey, Story, versions_of
from processors.deciding.others import fold_alone, is_alone
from processors.deciding.working_set import WorkingSet
from processors.registry import Registry, shipped
from schemas.commands import Command, CommandContent, Due, Verdict
from schemas.control import (
    AuthoritySet,
    AutoRules,
    Limits,
    PolicyRule,
    PolicySet,
    PredicateSpec,
    RegistrySet,
    Weight,
)
from schemas.facts import Mention
from schemas.ids import fact_id
from schemas.inbox import Candidate, Proposal, ProposalContent, Versions
from schemas.inbox_records import InboxRecord
from schemas.values import TypedValue

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
#: Values that lie in one another, for the tests of "more precise" and "more general".
INSIDE = {"Berlin": ("Germany",), "Munich": ("Germany",), "Mitte": ("Berlin", "Germany")}


@dataclass
class View:
    """Control versions held in memory; version 0 is what ships."""

    policies: list[PolicySet] = field(default_factory=lambda: [DEFAULT_POLICY])
    authorities: list[AuthoritySet | None] = field(default_factory=lambda: [None])
    registries: list[Registry] = field(default_factory=lambda: [shipped()])

    def policy(self, tenant: str, version: int) -> PolicySet:
        return self.policies[version]

    def authority(self, tenant: str, version: int) -> AuthoritySet | None:
        return self.authorities[version]

    def registry(self, tenant: str, version: int) -> Registry:
        return self.registries[version]

    def versions(self) -> Versions:
        """The newest of each."""
        known = (self.policies, self.authorities, self.registries)
        policy, authority, registry = (len(found) - 1 for found in known)
        return Versions(policy=policy, authority=authority, registry=registry)


def value(text: str, kind: str = "text") -> TypedValue:
    within = tuple(f"{kind}:{outer.casefold()}" for outer in INSIDE.get(text, ()))
    return TypedValue(type=kind, text=text, key=f"{kind}:{text.casefold()}", within=within)


@dataclass
class World:
    """One tenant, one entity by default; ``at`` is in hours after START."""

    view: View = field(default_factory=View)
    ws: WorkingSet = field(default_factory=WorkingSet)
    spoken: int = 0
    records: list[Proposal] = field(default_factory=list)

    def policy(
        self,
        strategy: str,
        weights: dict[str, float] | None = None,
        pattern: str = "*",
        auto: dict[str, float] | None = None,
        limits: dict[str, int] | None = None,
    ) -> None:
        rule = PolicyRule(pattern=pattern, strategy=strategy)  # type: ignore[arg-type]
        rules = AutoRules.model_validate(auto or {})
        bounds = Limits.model_validate(limits or {})
        policy = PolicySet(tenant="t", event_id="p", rules=(rule,), auto=rules, limits=bounds)
        self.view.policies.append(policy)
        entries = tuple(Weight(agent=agent, weight=weight) for agent, weight in (weights or {}).items())
        self.view.authorities.append(
            AuthoritySet(tenant="t", event_id="a", weights=entries) if entries else None
        )

    def register(self, **spec: Any) -> None:
        """The tenant's next registry, with one entry more or replaced."""
        entry = PredicateSpec(**{"name": "office", "cardinality": "one", **spec})
        event = RegistrySet(tenant="t", event_id="r", predicates=(entry,))
        self.view.registries.append(self.view.registries[-1].merged(event))

    def proposal(self, agent: str, text: str, at: float = 0, **other: Any) -> Proposal:
        self.spoken += 1
        moment = START + timedelta(hours=at)
        name = other.pop("predicate", "office")
        match = other.pop("match", "exact")
        kind = other.pop("kind_of_value", "text")
        event = other.pop("event_id", f"e{self.spoken}")
        versions = self.view.versions()
        excludes = other.pop("excludes", ())
        candidate = Candidate(
            predicate=name, match=match, score=1.0, value=value(text, kind), excludes=excludes
        )
        content = ProposalContent(
            mention=Mention(text="I", type="user"), label=name, candidates=(candidate,), text=f"{name} {text}"
        )
        made: dict[str, Any] = {
            "tenant": "t",
            "entity": "user:u1",
            "id": fact_id("t", "s", event, 0),
            "source": "s",
            "event_id": event,
            "ordinal": 0,
            "agent": agent,
            "origins": (f"s:{event}",),
            "event_time": moment,
            "received_at": moment,
            "versions": versions,
            "cardinality_hint": "one",
            "content": content,
        }
        return Proposal(**{**made, **other})

    def say(self, agent: str, text: str, at: float = 0, **other: Any) -> Decision:
        record = self.proposal(agent, text, at, **other)
        self.records.append(record)
        slot = SlotKey("t", record.entity, record.content.candidates[0].predicate, record.scope)
        self.ws.stories.setdefault(slot, [])
        return self.decide(record, [slot])

    def decide(self, record: InboxRecord, slots: list[SlotKey]) -> Decision:
        before = len(self.ws.decisions)
        for slot in (*slots, *self.ws.slots):
            self.ws.stories.setdefault(slot, [])
        if is_alone(record):
            known = len(self.ws.evidence)
            assert fold_alone(self.ws, record, self.view, slots) == 0
            # As a store gives it back: the records of a slot by the number of their decision.
            made = {decision.id: decision for decision in self.ws.decisions}
            for row in self.ws.evidence[known:]:
                told = self.ws.stories.setdefault(row.slot, [])
                decision = made[row.id]
                told.append(Story(decision.number, row.body, row.id, versions_of(decision)))
                told.sort(key=lambda story: story.number)
        else:
            fold(self.ws, [record], self.view)  # type: ignore[list-item]
        assert len(self.ws.decisions) == before + 1
        return self.ws.decisions[-1]

    def slot(self, predicate: str = "office") -> SlotKey:
        return SlotKey("t", "user:u1", predicate, "")

    def slot_version(self, predicate: str = "office") -> int:
        return self.ws.slots[self.slot(predicate)].version

    def _record(self, at: float) -> dict[str, Any]:
        self.spoken += 1
        event = f"e{self.spoken}"
        versions = self.view.versions()
        moment = START + timedelta(hours=at)
        return {
            "tenant": "t",
            "entity": "user:u1",
            "id": fact_id("t", "s", event, 0),
            "source": "s",
            "event_id": event,
            "event_time": moment,
            "received_at": moment,
            "versions": versions,
        }

    def command(
        self,
        action: str,
        at: float,
        *,
        reason: str = "",
        predicate: str = "",
        slot_of: str = "",
        scope_of: str = "",
        **other: Any,
    ) -> Decision:
        """A command by ``boss``; ``slot_of`` and ``scope_of`` name the slot that a store would locate."""
        content = CommandContent(reason=reason)
        if action == "retract" and predicate:
            other["predicate"] = predicate
        record = Command(**self._record(at), actor="boss", action=action, content=content, **other)  # type: ignore[arg-type]
        slot = SlotKey("t", "user:u1", slot_of or predicate or "office", scope_of)
        return self.decide(record, [slot])

    def rule(
        self, action: str, at: float, *, predicate: str = "office", expected: int | None = None, **other: Any
    ) -> Decision:
        """A command on the open dispute of the predicate."""
        (dispute,) = [row for row in self.disputes() if row.cell.slot.predicate == predicate]
        seen = self.slot_version(predicate) if expected is None else expected
        return self.command(
            action, at, predicate=predicate, dispute_id=dispute.id, expected_slot_version=seen, **other
        )

    def verdict(
        self, proposal: UUID, at: float, *, round: int = 1, slot_of: str = "office", **other: Any
    ) -> Decision:
        record = Verdict(**self._record(at), proposal_id=proposal, round=round, judge="test", **other)
        return self.decide(record, [self.slot(slot_of)])

    def due(self, what: str, target: UUID, at: float) -> Decision:
        made = self._record(at)
        record = Due(**made, what=what, target=target, due_at=made["event_time"])  # type: ignore[arg-type]
        return self.decide(record, [self.slot()])

    def claims(self, status: str | None = None, predicate: str | None = "office") -> list[Claim]:
        found = [row for row in self.ws.claims.values() if predicate in (None, row.cell.slot.predicate)]
        return sorted((row for row in found if status in (None, row.status)), key=lambda row: row.order)

    def values(self, status: str, predicate: str = "office") -> list[str]:
        return [
            ("" if row.polarity == "+" else "not ") + row.value.text for row in self.claims(status, predicate)
        ]

    def disputes(self) -> list[Dispute]:
        return [row for rows in self.ws.disputes.values() for row in rows.values()]

    def published(self, kind: str) -> list[Any]:
        return [event for event in self.ws.events if kind == event.TYPE]


def hours(number: float) -> datetime:
    return START + timedelta(hours=number)
