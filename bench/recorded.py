"""A log as a long life leaves it: statements, commands, verdicts, merges and due moments, in the order they came to be.

The stages behind the facts topic run in this process, over topics in memory and a real ledger; what they put into the
inboxes is recorded with what came from outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

from bench.proposals import proposals
from schemas.claims import ClaimChanged
from schemas.commands import Command, CommandContent
from schemas.control import AuthoritySet, AutoRules, ControlEvent, Limits, PolicyRule, PolicySet, Weight
from schemas.disputes import DisputeChanged
from schemas.identity import MergeEntities
from schemas.ids import NAMESPACE, derived_id
from schemas.inbox import Proposal
from schemas.judge import Judgement, JudgeRequest
from sinks.ports import Ledger
from streams.assembly import Parts, build_stages
from streams.driver import Driver, MemoryLog
from streams.stage import OutRecord
from streams.stages.outgoing import inbox_record
from streams.stages.timekeeper import Timekeeper
from topics.declaration import topic_name
from topics.partitioner import encode_key

TENANT = "t"
STAGES = ("control", "adjudicate", "judge")
#: Statements between two looks at what came of them.
_SLICE = 2_000
_RELATIONS = ("contradicts", "contradicts", "unrelated", "same", "undecided")


class ByQuestion:
    """A judge whose answer is a function of the question, so that a run can be repeated."""

    id = "bench"

    async def judge(self, request: JudgeRequest) -> Judgement:
        n = sha256(request.request_id.bytes).digest()
        relation: Any = _RELATIONS[n[0] % len(_RELATIONS)]
        prevails = None if relation != "contradicts" else n[1] % 2 == 0
        return Judgement(relation=relation, prevails=prevails, reason="as the bench answers")


class Life:
    """What is said and commanded; the same for the same seed."""

    def __init__(self, log: MemoryLog, ledger: Ledger, *, seed: int = 7, entities: int = 1_500) -> None:
        self.log = log
        self._ledger = ledger
        self._random = random.Random(seed)
        self._entities = entities
        self._said = proposals(0, entities)
        self._commands = 0
        self._seen: dict[tuple[str, int], int] = {}
        self._retracted: list[Command] = []
        self._now = datetime(2026, 3, 1, tzinfo=UTC)

    async def live(self, records: int, advance: Callable[[int], None]) -> None:
        """Goes on until the inboxes hold so many records."""
        parts = Parts(self._ledger, self.log, self.log.prefix, judge=ByQuestion())
        driver = Driver(self.log, build_stages(STAGES, parts))
        keeper = Timekeeper(self._ledger, self.log, lambda: self._now, self.log.prefix)
        for event in self._rules():
            self.log.append(_control_record(event, self.log.prefix))
        async with driver:
            held = 0
            while held < records:
                for proposal in islice(self._said, min(_SLICE, records - held)):
                    self.log.append(inbox_record(self._varied(proposal), self.log.prefix))
                    self._now = max(self._now, proposal.event_time)
                for command in self._orders():
                    self.log.append(inbox_record(command, self.log.prefix))
                for n in range(8):
                    self._merge(n)
                self.log.now_ms = round(self._now.timestamp() * 1000)
                await driver.run()
                await keeper.tick()
                await driver.run()
                now = self.log.size("inbox")
                advance(now - held)
                held = now

    def _rules(self) -> Iterator[PolicySet | AuthoritySet]:
        rules = (
            PolicyRule(pattern="*", strategy="recency"),
            PolicyRule(pattern="user.lives_in", strategy="llm-judge"),
            PolicyRule(pattern="user.employer", strategy="authority"),
            PolicyRule(pattern="user.diet", strategy="consensus"),
        )
        auto = AutoRules(age_days=0.02, authority_gap=0.2, origins=2, expiry_days=0.05)
        yield PolicySet(
            tenant=TENANT,
            event_id="p1",
            at=self._now,
            rules=rules,
            auto=auto,
            limits=Limits(statements_per_hour=None, disputes_per_day=None),
        )
        weights = tuple(Weight(agent=f"agent-{n}", weight=(n + 1) / 4) for n in range(3))
        yield AuthoritySet(tenant=TENANT, event_id="a1", at=self._now, weights=weights)

    def _varied(self, proposal: Proposal) -> Proposal:
        """One in twenty holds for a time only, one in fifty is taken back, one in thirty comes late."""
        draw = self._random.random()
        changes: dict[str, Any] = {"versions": {"policy": 1, "authority": 1}}
        if draw < 0.05:
            changes["valid_to"] = proposal.event_time + timedelta(minutes=10)
        elif draw < 0.07:
            changes["act"] = "retract"
        elif draw < 0.1:
            changes["event_time"] = proposal.event_time - timedelta(minutes=30)
        return Proposal.model_validate(proposal.model_dump() | changes)

    def _orders(self) -> Iterator[Command]:
        """Commands on what the last slices brought about: some 8 for 100 statements."""
        for raw in self._news("claims"):
            claim = ClaimChanged.from_json(raw)
            draw = self._random.random()
            if draw < 0.02:
                command = self._command(claim.entity, "retract", claim_id=claim.claim_id)
                self._retracted.append(command)
                yield command
            elif draw < 0.03:
                yield self._command(claim.entity, "confirm", claim_id=claim.claim_id)
            elif draw < 0.035:
                yield self._command(claim.entity, "reconsider")
        for raw in self._news("disputes"):
            dispute = DisputeChanged.from_json(raw)
            if dispute.change == "opened" and self._random.random() < 0.5:
                action = self._random.choice(("accept_challenger", "uphold_incumbent", "dismiss"))
                yield self._command(
                    dispute.entity,
                    action,
                    dispute_id=dispute.dispute_id,
                    expected_slot_version=dispute.slot_version,
                )
        for command in [row for row in self._retracted if self._random.random() < 0.3]:
            self._retracted.remove(command)
            yield self._command(command.entity, "restore", retraction_id=command.id)

    def _news(self, short: str) -> list[bytes]:
        """The bodies of a topic since the last call."""
        new = []
        for partition, rows in sorted(self.log.topics.get(topic_name(short, self.log.prefix), {}).items()):
            new += rows[self._seen.get((short, partition), 0) :]
            self._seen[short, partition] = len(rows)
        return [row.value or b"" for row in new]

    def _command(self, entity: str, action: str, **fields: Any) -> Command:
        self._commands += 1
        name = f"command-{self._commands}"
        return Command(
            tenant=TENANT,
            entity=entity,
            id=derived_id(_ROOT, name),
            source="bench",
            event_id=name,
            event_time=self._now,
            received_at=self._now,
            actor="agent-2",
            action=action,
            content=CommandContent(reason="bench"),
            **fields,
        )

    def _merge(self, n: int) -> None:
        one, two = self._random.sample(range(self._entities), 2)
        name = f"merge-{self._now:%Y%m%d%H%M%S}-{n}"
        event = MergeEntities(
            tenant=TENANT, event_id=name, at=self._now, entity=f"user:u{one}", into=f"user:u{two}"
        )
        self.log.append(_control_record(event, self.log.prefix))


_ROOT = derived_id(NAMESPACE, "bench")


def _control_record(event: ControlEvent, prefix: str) -> OutRecord:
    return OutRecord(topic_name("control", prefix), encode_key(event.tenant), event.to_json())


def shuffled(log: MemoryLog, seed: int) -> Iterator[tuple[bytes, bytes, int]]:
    """(key, value, time) of every inbox record, entities mixed anew, each entity's own order kept."""
    queues: dict[bytes, list[tuple[bytes, bytes, int]]] = {}
    for row in log.records("inbox"):
        key = row.key or b""
        queues.setdefault(key, []).append((key, row.value or b"", row.timestamp_ms))
    order = [key for key, rows in queues.items() for _ in rows]
    random.Random(seed).shuffle(order)
    at = dict.fromkeys(queues, 0)
    for key in order:
        yield queues[key][at[key]]
        at[key] += 1
