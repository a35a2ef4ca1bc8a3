"""A scene: turns, records and commands through the real stages, on either ledger, and what is believed after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid5

from processors.deciding.model import Claim, Decision, Evidence
from processors.digest import EntityRows
from processors.ports import Embedder, Judge
from schemas.base import Event
from schemas.commands import Command
from schemas.control import AuthoritySet, PolicyRule, PolicySet, StrategyName, Weight
from schemas.disputes import DisputeChanged
from schemas.facts import StatedFact
from schemas.ids import NAMESPACE
from schemas.reviews import ReviewRaised
from schemas.turn import Message, Record, RecordContent, Role, Turn, TurnContent
from sinks.memory_vectors import MemoryVectors
from sinks.ports import Ledger
from streams.assembly import Parts, build_stages
from streams.driver import Driver, MemoryLog
from streams.stage import OutRecord
from topics.partitioner import encode_key

STAGES = ("control", "extract", "resolve", "adjudicate", "judge", "project")
MINUTE_MS = 60_000


@dataclass(slots=True)
class Scene:
    """What happens in one test. `say` and `state` only write to the log; `run` lets the stages work until quiet."""

    ledger: Ledger
    embedder: Embedder
    judge: Judge | None = None
    #: Left out of `run`: a judge that is slow to answer.
    waiting: tuple[str, ...] = ()
    log: MemoryLog = field(default_factory=MemoryLog)
    vectors: MemoryVectors = field(init=False)
    _said: int = 0

    def __post_init__(self) -> None:
        self.vectors = MemoryVectors(self.embedder.profile)

    # -- what happens -------------------------------------------------------------------------------------------
    def at(self, moment: datetime | None) -> None:
        """The log's clock: a statement cannot lie ahead of its reception."""
        self.log.now_ms = (
            self.log.now_ms + MINUTE_MS
            if moment is None
            else max(self.log.now_ms, int(moment.timestamp() * 1000))
        )

    def say(
        self,
        text: str,
        at: datetime | None = None,
        *,
        agent: str = "chat",
        user: str = "u1",
        tenant: str = "t",
        event_id: str | None = None,
        conversation: str = "c",
        role: Role = "user",
        speaker: str | None = None,
        derived_from: Sequence[str] = (),
        contains_recall: Sequence[str] = (),
    ) -> Turn:
        self._said += 1
        self.at(at)
        turn = Turn(
            tenant=tenant,
            event_id=event_id or f"e{self._said}",
            agent=agent,
            conversation=conversation,
            user=user,
            at=at,
            derived_from=tuple(derived_from),
            contains_recall=tuple(contains_recall),
            content=TurnContent(messages=(Message(role=role, text=text, speaker=speaker),)),
        )
        self.send("turns", turn, conversation)
        return turn

    def state(
        self,
        *facts: dict[str, Any],
        at: datetime | None = None,
        agent: str = "chat",
        tenant: str = "t",
        event_id: str | None = None,
        derived_from: Sequence[str] = (),
    ) -> Record:
        """Structured facts. A subject is written ``type:id``."""
        self._said += 1
        self.at(at)
        record = Record(
            tenant=tenant,
            event_id=event_id or f"e{self._said}",
            agent=agent,
            record_id="r",
            at=at,
            derived_from=tuple(derived_from),
            content=RecordContent(facts=tuple(StatedFact.model_validate(_fact(row)) for row in facts)),
        )
        self.send("turns", record, record.stream_id)
        return record

    def policy(self, strategy: StrategyName, *, pattern: str = "*", tenant: str = "t", **more: Any) -> None:
        rule = PolicyRule(pattern=pattern, strategy=strategy, **more)
        self.send("control", PolicySet(tenant=tenant, event_id=f"policy-{strategy}", rules=(rule,)))

    def authority(self, weights: dict[str, float], *, tenant: str = "t") -> None:
        rows = tuple(Weight(agent=agent, weight=weight) for agent, weight in weights.items())
        self.send("control", AuthoritySet(tenant=tenant, event_id="authority", weights=rows))

    def command(
        self, action: str, entity: str, *, tenant: str = "t", actor: str = "reviewer-1", **more: Any
    ) -> None:
        self._said += 1
        self.at(None)
        now = datetime.fromtimestamp(self.log.now_ms / 1000, UTC)
        name = f"command{self._said}"
        body = {
            "tenant": tenant,
            "entity": entity,
            "id": uuid5(NAMESPACE, f"{tenant}/{name}"),
            "source": "cli",
            "event_id": name,
            "event_time": now,
            "received_at": now,
            "actor": actor,
            "action": action,
            **more,
        }
        self.send("inbox", Command.model_validate(body), entity)

    def send(self, topic: str, event: Event, *names: str) -> None:
        body = event.model_dump()
        self.log.append(OutRecord(f"memory.{topic}.v1", encode_key(body["tenant"], *names), event.to_json()))

    async def run(self, *, waiting: Sequence[str] | None = None) -> None:
        """A worker with no memory of its own: it reads every topic from the start and must skip what is done."""
        left = self.waiting if waiting is None else waiting
        parts = Parts(self.ledger, self.log, "memory", embedder=self.embedder, vectors=self.vectors)
        if self.judge is not None:
            parts.judge = self.judge
        async with Driver(
            self.log, build_stages([name for name in STAGES if name not in left], parts)
        ) as driver:
            await driver.run()

    # -- what is believed ---------------------------------------------------------------------------------------
    async def believed(self, tenant: str = "t") -> Believed:
        rows = [row async for row in self.ledger.entities(tenant)]
        return Believed(rows, self._events(tenant, "disputes"), self._events(tenant, "reviews"), self.dead())

    def dead(self) -> list[str]:
        """Error classes of the dead letters."""
        return [
            dict(row.headers)["claimstream_error_class"].decode() for row in self.log.records("deadletters")
        ]

    def _events(self, tenant: str, topic: str) -> list[Any]:
        model = {"disputes": DisputeChanged, "reviews": ReviewRaised}[topic]
        found = [model.from_json(row.value) for row in self.log.records(topic)]
        return [event for event in found if event.tenant == tenant]


@dataclass(slots=True)
class Believed:
    """The ledger of one tenant, and what was told of it."""

    rows: list[EntityRows]
    disputes: list[DisputeChanged]
    reviews: list[ReviewRaised]
    dead: list[str]

    @property
    def claims(self) -> list[Claim]:
        return [claim for row in self.rows for claim in row.claims]

    @property
    def decisions(self) -> list[Decision]:
        return [decision for row in self.rows for decision in row.decisions]

    @property
    def evidence(self) -> list[Evidence]:
        return [evidence for row in self.rows for evidence in row.evidence]

    def lines(self, *statuses: str) -> set[str]:
        """Claims as ``entity predicate@scope = value (status)``, "not" before a denied value."""
        return {line(claim) for claim in self.claims if not statuses or claim.status in statuses}

    def active(self) -> set[str]:
        """Active claims, without the status."""
        return {text.removesuffix(" (active)") for text in self.lines("active")}

    def provenance(self, claim: Claim) -> set[str]:
        """Events that count for the claim: its supporters' latest, and what was observed of it."""
        echoes = {row.id for row in self.decisions if row.rule == "echo"}
        found = (row for row in self.evidence if row.claim_id == claim.id and row.id not in echoes)
        return {row.order.event_id for row in found if row.label != "command"}

    def origins(self, claim: Claim) -> set[str]:
        supports = (row for rows in self.rows for row in rows.supports if row.claim_id == claim.id)
        return {origin for row in supports for origin in row.origins}


def line(claim: Claim) -> str:
    slot = claim.cell.slot
    name = f"{slot.predicate}@{slot.scope}" if slot.scope else slot.predicate
    deny = "not " if claim.polarity == "-" else ""
    return f"{slot.entity} {name} = {deny}{claim.value.text} ({claim.status})"


def _fact(row: dict[str, Any]) -> dict[str, Any]:
    subject = row["subject"]
    kind, _, name = subject.partition(":")
    return {**row, "subject": {"text": name, "type": kind, "entity": subject}}
