"""Turns, records and commands about who is who, through extract, resolve, control and adjudicate, without a broker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inference.stub import StubEmbedder
from processors.deciding.model import Claim, Decision, Entity, Evidence
from processors.digest import EntityRows
from processors.values import type_value
from schemas.base import read_object
from schemas.commands import Command
from schemas.facts import Mention, StatedFact
from schemas.identity import AliasSet, AssignUnresolved, MergeEntities, SplitEntity
from schemas.ids import fact_id
from schemas.inbox import Versions
from schemas.reviews import ReviewRaised
from schemas.turn import Message, Record, RecordContent, Turn, TurnContent
from sinks.ports import Ledger
from streams.assembly import Parts, build_stages
from streams.driver import Driver, MemoryLog
from streams.envelope import control_record, input_record
from streams.settings import Settings
from streams.stage import InRecord, OutRecord
from streams.stages.outgoing import inbox_record
from tests.contract.ledger_world import KINDS, opened
from tests.unit.deciding.world import START, World

STAGES = ("control", "extract", "resolve", "adjudicate")
SETTINGS = Settings.model_construct()


def person(name: str) -> Mention:
    return Mention(text=name, type="person")


def fact(subject: str | Mention, predicate: str, value: str, **other: Any) -> StatedFact:
    mention = person(subject) if isinstance(subject, str) else subject
    return StatedFact(subject=mention, predicate=predicate, value=value, **other)


@dataclass
class Line:
    """The stages over one ledger. ``batch``: records of one transaction at most."""

    ledger: Ledger
    batch: int | None = None
    stages: tuple[str, ...] = STAGES
    log: MemoryLog = field(default_factory=MemoryLog)
    said: int = 0

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """New processes, at the beginning of their logs: the ledger must tell them what is done."""
        parts = Parts(self.ledger, self.log, "memory", embedder=StubEmbedder())
        self.driver = Driver(self.log, build_stages(self.stages, parts), batch=self.batch)

    async def run(self) -> None:
        await self.driver.run()

    # -- what comes in --------------------------------------------------------------------------------------------
    def turn(
        self, text: str, *, conversation: str = "c1", agent: str = "chat", speaker: str | None = None
    ) -> None:
        self.said += 1
        content = TurnContent(messages=(Message(text=text, speaker=speaker),))
        at = START + timedelta(minutes=self.said)
        event = Turn(
            tenant="t",
            event_id=f"e{self.said}",
            agent=agent,
            conversation=conversation,
            user="u1",
            at=at,
            received_at=at,
            content=content,
        )
        self.log.append(input_record(event, SETTINGS))

    def record(
        self, *facts: StatedFact, agent: str = "crm", version: int | None = None, minute: int | None = None
    ) -> None:
        """Structured facts; with a `version` as a system of record sends them."""
        self.said += 1
        at = START + timedelta(minutes=self.said if minute is None else minute)
        event = Record(
            tenant="t",
            source=agent,
            event_id=f"e{self.said}",
            record_id=f"r{self.said}",
            agent=agent,
            at=at,
            received_at=at,
            version={} if version is None else {agent: version},
            content=RecordContent(facts=facts),
        )
        self.log.append(input_record(event, SETTINGS))

    def late(
        self,
        entity: str,
        predicate: str,
        value: str,
        *,
        agent: str,
        minute: int,
        value_type: str = "text",
    ) -> None:
        """A proposal for the entity, as if it had been resolved a while ago."""
        self.said += 1
        made = World().proposal(
            agent,
            value,
            minute / 60,
            entity=entity,
            predicate=predicate,
            event_id=f"late{self.said}",
            cardinality_hint=None,
            versions=Versions(),
        )
        typed = type_value(value, value_type, at=made.event_time)
        candidate = made.content.candidates[0].model_copy(update={"value": typed})
        content = made.content.model_copy(update={"candidates": (candidate,)})
        self.log.append(inbox_record(made.model_copy(update={"content": content}), "memory"))

    def retract(
        self,
        entity: str,
        predicate: str | None = None,
        value: str = "",
        *,
        minute: int,
        claim_id: UUID | None = None,
    ) -> None:
        self.said += 1
        at = START + timedelta(minutes=minute)
        key = type_value(value, predicate, at=at).key if value and predicate else ""
        event = Command(
            tenant="t",
            entity=entity,
            id=fact_id("t", "s", f"retract{self.said}", 0),
            source="s",
            event_id=f"retract{self.said}",
            event_time=at,
            received_at=at,
            actor="boss",
            action="retract",
            predicate=predicate,
            value_key=key,
            claim_id=claim_id,
        )
        self.log.append(inbox_record(event, "memory"))

    def command(self, event: MergeEntities | SplitEntity | AliasSet | AssignUnresolved) -> None:
        self.log.append(control_record(event, SETTINGS))

    async def merge(self, entity: str, into: str, event_id: str = "") -> None:
        event = event_id or f"merge {entity} {into}"
        self.command(MergeEntities(tenant="t", event_id=event, entity=entity, into=into))
        await self.run()

    async def split(self, entity: str, new: str, **what: Any) -> None:
        self.said += 1
        event = SplitEntity(tenant="t", event_id=f"split {self.said}", entity=entity, new_entity=new, **what)
        self.command(event)
        await self.run()

    async def assign(self, unresolved: str, entity: str, **what: Any) -> None:
        self.said += 1
        event = AssignUnresolved(
            tenant="t", event_id=f"assign {self.said}", unresolved=unresolved, entity=entity, **what
        )
        self.command(event)
        await self.run()

    # -- what came of it ------------------------------------------------------------------------------------------
    async def rows(self, entity: str) -> EntityRows | None:
        found = [row async for row in self.ledger.entities("t") if row.entity.key.entity == entity]
        return found[0] if found else None

    async def head(self, entity: str) -> Entity:
        found = await self.rows(entity)
        assert found is not None, entity
        return found.entity

    async def claims(self, entity: str, status: str | None = "active") -> list[Claim]:
        found = await self.rows(entity)
        rows = [] if found is None else found.claims
        return sorted((row for row in rows if status in (None, row.status)), key=lambda row: row.order)

    async def values(self, entity: str, predicate: str, status: str = "active") -> list[str]:
        rows = await self.claims(entity, status)
        return [row.value.text for row in rows if row.cell.slot.predicate == predicate]

    async def evidence(self, entity: str) -> list[Evidence]:
        found = await self.rows(entity)
        return [] if found is None else found.evidence

    async def decisions(self, entity: str) -> list[Decision]:
        found = await self.rows(entity)
        return [] if found is None else sorted(found.decisions, key=lambda row: row.number)

    async def entities(self) -> set[str]:
        """Those that something is believed or kept of."""
        live = ("active", "candidate", "disputed", "scheduled")
        found = [row async for row in self.ledger.entities("t")]
        return {row.entity.key.entity for row in found if any(one.status in live for one in row.claims)}

    def reviews(self, reason: str) -> list[ReviewRaised]:
        found = [ReviewRaised.from_json(row.value) for row in self.log.records("reviews")]
        return [row for row in found if row.reason == reason]

    def inbox(self, kind: str) -> list[InRecord]:
        return [row for row in self.log.records("inbox") if read_object(row.value).get("type") == kind]

    def dead_letters(self) -> list[str]:
        found = (dict(row.headers) for row in self.log.records("deadletters"))
        return [headers["claimstream_error"].decode() for headers in found]

    def again(self, records: Sequence[InRecord]) -> None:
        """Puts records on their topics once more, as a producer that was not sure does."""
        for row in records:
            self.log.append(as_sent(row))


def as_sent(row: InRecord) -> OutRecord:
    return OutRecord(row.topic, row.key or b"", row.value or b"", row.headers)


@pytest.fixture(params=KINDS)
async def line(request: pytest.FixtureRequest) -> AsyncIterator[Line]:
    async with opened(request.param, request) as ledger:
        yield Line(ledger)
