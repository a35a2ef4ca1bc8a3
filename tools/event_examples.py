"""One example of every event, made by the deciding core itself: two agents disagree on a time zone.

Nothing below the inputs is written by hand, so an example shows what the program sends.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeVar

from processors.deciding.fold import fold
from processors.deciding.model import DueAt, EntityKey
from processors.deciding.working_set import WorkingSet
from processors.embedding import EmbedderProfile
from processors.receiving import RECORD_EXTRACTOR, extracted, record_facts
from processors.registry import Registry, shipped
from processors.resolving import resolve
from schemas.base import Event
from schemas.claims import ClaimChanged
from schemas.commands import Command, CommandContent
from schemas.control import AuthoritySet, PolicyRule, PolicySet, PredicateSpec, RegistrySet, Weight
from schemas.disputes import DisputeChanged
from schemas.facts import Fact, FactsExtracted, Mention, Quote, StatedFact
from schemas.ids import derived_id, fact_id
from schemas.inbox import Proposal, Versions
from schemas.judge import Judgement, JudgeRequest
from schemas.reviews import ReviewRaised
from schemas.turn import Message, Record, RecordContent, Turn, TurnContent
from streams.stages.judge import verdict
from streams.stages.timekeeper import due_record
from tools.identity_examples import identity_examples

TENANT: Final = "acme"
_EXPIRY: Final = (
    derived_id(fact_id("acme", "chat", "e2", 0), "dispute"),
    "dispute_expiry",
    datetime(2026, 4, 1, 9, 5, tzinfo=UTC),
)
_START: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_USER: Final = Mention(text="I", type="user", entity="user:u1")
#: No label of the story is resolved by similarity, so that no embedder is needed.
_NO_EMBEDDER: Final = EmbedderProfile("none", 1, band_high=1.0, band_low=1.0, margin=1.0, floor=1.0)

E = TypeVar("E", bound=Event)


def _said(event_id: str, agent: str, text: str, minutes: int) -> Turn:
    moment = _START + timedelta(minutes=minutes)
    reply = Message(role="assistant", text="Noted.")
    return Turn(
        tenant=TENANT,
        source="chat",
        event_id=event_id,
        agent=agent,
        at=moment,
        received_at=moment + timedelta(seconds=1),
        conversation=f"{agent}-1",
        user="u1",
        content=TurnContent(messages=(Message(text=text), reply)),
    )


TURN: Final = _said("e1", "agent-a", "I'm in PST", 0)
OTHER_TURN: Final = _said("e2", "agent-b", "I'm in EST", 5)

RECORD: Final = Record(
    tenant=TENANT,
    source="crm",
    event_id="contact-17-v7",
    agent="crm-sync",
    at=_START + timedelta(minutes=10),
    received_at=_START + timedelta(minutes=10, seconds=1),
    record_id="contact-17",
    version={"crm": 7},
    content=RecordContent(
        facts=(
            StatedFact(
                subject=Mention(text="u1", type="user", entity="user:u1"),
                predicate="timezone",
                value="ask the office",
                cardinality_hint="one",
                confidence=0.8,
                text="u1's time zone: ask the office",
            ),
        )
    ),
)

POLICY: Final = PolicySet(
    tenant=TENANT,
    event_id="policy-1",
    at=_START - timedelta(days=1),
    reason="the calendar agent knows time zones best",
    rules=(
        PolicyRule(pattern="user.timezone", strategy="authority"),
        PolicyRule(pattern="*", strategy="recency"),
    ),
)

AUTHORITY: Final = AuthoritySet(
    tenant=TENANT,
    event_id="authority-1",
    at=_START - timedelta(days=1),
    weights=(
        Weight(agent="agent-a", pattern="user.timezone", weight=0.9),
        Weight(agent="agent-b", pattern="user.timezone", weight=0.2),
    ),
)

REGISTRY: Final = RegistrySet(
    tenant=TENANT,
    event_id="registry-1",
    at=_START - timedelta(days=1),
    predicates=(
        PredicateSpec(
            name="order_status",
            description="how far an order has come",
            synonyms=("order_state",),
            subjects=("order",),
            value_type="text",
            cardinality="many",
            excludes=(("cancelled", "completed"),),
            material=True,
        ),
    ),
)


class _View:
    """What the control log says after the three control examples."""

    def policy(self, tenant: str, version: int) -> PolicySet:
        return POLICY

    def authority(self, tenant: str, version: int) -> AuthoritySet:
        return AUTHORITY

    def registry(self, tenant: str, version: int) -> Registry:
        return shipped().merged(REGISTRY)


def _facts(turn: Turn, value: str) -> FactsExtracted:
    text = turn.content.messages[0].text
    fact = Fact(
        subject=_USER,
        predicate="timezone",
        value=value,
        cardinality_hint="one",
        text=f"The user is in {value}",
        quote=Quote(message=0, start=0, end=len(text), text=text),
        rule="example",
    )
    return _extracted(turn, [fact], "rules/1")


def _extracted(event: Turn | Record, facts: list[Fact], extractor: str) -> FactsExtracted:
    assert event.at is not None and event.received_at is not None
    return extracted(event, facts, event_time=event.at, received_at=event.received_at, extractor=extractor)


def _proposal(event: FactsExtracted) -> Proposal:
    return resolve(
        event,
        event.content.facts[0],
        registry=_View().registry(TENANT, 1),
        versions=Versions(policy=1, authority=1, registry=1),
        similar={},
        bands=_NO_EMBEDDER,
        vector="",
    )


@lru_cache(maxsize=1)
def examples() -> MappingProxyType[str, Event]:
    """Type of event to an example."""
    facts = _facts(TURN, "PST")
    stated = (facts, _facts(OTHER_TURN, "EST"), _extracted(RECORD, record_facts(RECORD), RECORD_EXTRACTOR))
    proposals = [_proposal(event) for event in stated]
    ws = WorkingSet()
    fold(ws, proposals, _View())
    asked = _judged(proposals[:2])
    question = _first(asked, JudgeRequest)
    found: tuple[Event, ...] = (
        TURN,
        RECORD,
        facts,
        proposals[0],
        POLICY,
        AUTHORITY,
        REGISTRY,
        _first(ws, ClaimChanged),
        _first(ws, DisputeChanged),
        _first(ws, ReviewRaised),
        _command(_first(ws, DisputeChanged)),
        question,
        verdict(question, Judgement(relation="undecided", reason="no model is set up to judge"), "undecided"),
        due_record(DueAt(EntityKey(TENANT, "user:u1"), *_EXPIRY)),
        *identity_examples(proposals[0]),
    )
    return MappingProxyType({event.TYPE: event for event in found})


class _JudgeView(_View):
    """As if the policy left time zones to a judge."""

    def policy(self, tenant: str, version: int) -> PolicySet:
        return POLICY.model_copy(
            update={"rules": (PolicyRule(pattern="user.timezone", strategy="llm-judge"),)}
        )


def _judged(proposals: list[Proposal]) -> WorkingSet:
    ws = WorkingSet()
    fold(ws, proposals, _JudgeView())
    return ws


def _command(dispute: DisputeChanged) -> Command:
    moment = _START + timedelta(hours=3)
    return Command(
        tenant=TENANT,
        entity=dispute.entity,
        id=fact_id(TENANT, "cli", "ruling-1", 0),
        source="cli",
        event_id="ruling-1",
        event_time=moment,
        received_at=moment,
        actor="operator",
        action="uphold_incumbent",
        dispute_id=dispute.dispute_id,
        expected_slot_version=dispute.slot_version,
        content=CommandContent(reason="the calendar says PST"),
    )


def _first(ws: WorkingSet, model: type[E]) -> E:
    return next(event for event in ws.events if isinstance(event, model))
