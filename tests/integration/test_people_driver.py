"""People, the judge and the clock, through the real stages, on both ledgers, whatever the batch or the crash."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, cast

import pytest

from inference.undecided import UndecidedJudge
from processors.deciding.model import Claim, DueAt
from processors.ports import Judge
from schemas.base import canonical_json, read_object
from schemas.commands import Command
from schemas.control import AuthoritySet, PolicyRule, PolicySet, PredicateSpec, RegistrySet, Weight
from schemas.disputes import DisputeChanged
from schemas.errors import IntegrityError, PoisonError
from schemas.inbox_records import InboxRecord
from schemas.judge import Judgement, JudgeRequest
from sinks.memory_ledger import MemoryLedger, MemoryTransaction
from sinks.ports import Ledger, LogKey, Transaction
from streams.assembly import Parts, build_stages
from streams.driver import Driver, MemoryLog
from streams.envelope import command_record, control_record
from streams.registrar import Registrar
from streams.settings import Settings
from streams.stage import OutRecord
from streams.stages.outgoing import inbox_record
from streams.stages.timekeeper import Timekeeper
from tests.contract.alone_world import command
from tests.contract.ledger_world import KINDS, START, digest, opened
from tests.unit.deciding.world import World
from topics.declaration import topic_name

STAGES = ("control", "adjudicate", "judge")
SETTINGS = Settings.model_construct()


class Killed(Exception):
    """Stands for the death of a process."""


class Mortal:
    """A ledger whose transactions die now and then: before their end, or right after their commit."""

    def __init__(self, ledger: Ledger, chance: float, seed: int) -> None:
        self._ledger = ledger
        self._chance = chance
        self._draw = Random(seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    @asynccontextmanager
    async def transaction(self, *logs: LogKey) -> AsyncIterator[Transaction]:
        async with self._ledger.transaction(*logs) as tx:
            yield tx
            if self._draw.random() < self._chance:
                raise Killed("before the commit")
        if self._draw.random() < self._chance:
            raise Killed("after the commit")


@dataclass
class House:
    """The stages of one run over one ledger, and a clock."""

    ledger: Ledger
    batch: int | None = None
    log: MemoryLog = field(default_factory=MemoryLog)
    made: World = field(default_factory=World)
    at: datetime = START
    published: int = 0
    judge: Judge = field(default_factory=UndecidedJudge)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """New processes: they know nothing but what the ledger and the logs say."""
        parts = Parts(self.ledger, self.log, "memory", judge=self.judge)
        self.driver = Driver(self.log, build_stages(STAGES, parts), batch=self.batch)
        self.keeper = Timekeeper(self.ledger, self.log, lambda: self.at, "memory")

    async def settle(self) -> None:
        """Until nothing moves; a process that died is started again, and what it had not acknowledged comes again."""
        while True:
            try:
                await self.driver.run()
                await self.keeper.tick()
                await self.driver.run()
                return
            except Killed:
                positions = self.driver.positions
                self.start()
                self.driver.positions = positions

    async def policy(self, strategy: str, weights: dict[str, float] | None = None) -> None:
        """The tenant's next policy and authority, by way of the control log; later records are stamped with them."""
        self.published += 1
        name = f"v{self.published}"
        rule = PolicyRule.model_validate({"pattern": "*", "strategy": strategy})
        policy = PolicySet(tenant="t", event_id=f"p{name}", rules=(rule,))
        entries = tuple(Weight(agent=agent, weight=weight) for agent, weight in (weights or {}).items())
        self.log.append(control_record(policy, SETTINGS))
        self.log.append(
            control_record(AuthoritySet(tenant="t", event_id=f"a{name}", weights=entries), SETTINGS)
        )
        # World stamps with the length of its lists; the rules themselves come from the ledger.
        self.made.policy(strategy, weights)
        await self.settle()

    async def tell(self, *records: InboxRecord) -> None:
        for record in records:
            self.log.append(
                command_record(record, SETTINGS)
                if isinstance(record, Command)
                else inbox_record(record, "memory")
            )
        await self.settle()

    async def say(self, agent: str, text: str, at: float, **other: Any) -> None:
        await self.tell(self.made.proposal(agent, text, at, **other))

    def command(self, event: str, action: str, at: float, **other: Any) -> Command:
        return command(self.made, event, action, at, **other)

    async def claims(self, predicate: str = "office") -> dict[str, str]:
        """Value to status."""
        return {row.value.text: row.status for row in await self.rows(predicate)}

    async def rows(self, predicate: str = "office") -> list[Claim]:
        found = [row async for row in self.ledger.entities()]
        return [row for one in found for row in one.claims if row.cell.slot.predicate == predicate]

    def disputes(self) -> list[DisputeChanged]:
        return [DisputeChanged.from_json(row.value) for row in self.log.records("disputes")]

    def inbox(self, kind: str) -> list[dict[str, Any]]:
        bodies = [read_object(row.value) for row in self.log.records("inbox")]
        return [body for body in bodies if body["type"] == kind]


@pytest.fixture(params=KINDS)
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with opened(request.param, request) as ledger:
        yield House(ledger)


async def test_a_dispute_is_opened_ruled_on_by_a_command_and_resolved_on_the_topic(house: House) -> None:
    await house.policy("authority", {"a": 0.9, "b": 0.2, "boss": 0.95})
    await house.say("a", "214", 1)
    await house.say("b", "113", 2)
    (event,) = house.disputes()
    assert event.change == "opened"
    ruling = house.command(
        "r1",
        "accept_challenger",
        3,
        dispute_id=event.dispute_id,
        expected_slot_version=event.slot_version,
        reason="they moved",
    )
    await house.tell(ruling)
    assert [row.change for row in house.disputes()] == ["opened", "resolved"]
    assert "accept_challenger by boss: they moved" in house.disputes()[-1].reason
    assert await house.claims() == {"214": "rejected", "113": "active"}
    await house.tell(ruling)
    assert len(house.disputes()) == 2, "the same command again changes nothing"


async def test_a_predicate_that_holds_one_value_from_now_on_is_settled_anew_by_itself(house: House) -> None:
    def spec(number: str) -> PredicateSpec:
        return PredicateSpec.model_validate({"name": "office", "cardinality": number})

    async def register(name: str, number: str) -> None:
        event = RegistrySet(tenant="t", event_id=name, predicates=(spec(number),))
        house.log.append(control_record(event, SETTINGS))
        await house.settle()

    await register("r1", "many")
    house.made.register(cardinality="many")
    await house.say("a", "214", 1)
    await house.say("b", "113", 2)
    assert await house.claims() == {"214": "active", "113": "active"}
    await register("r2", "one")
    assert await house.claims() == {"214": "superseded", "113": "active"}
    (asked,) = house.inbox("command")
    assert (asked["action"], asked["actor"], asked["versions"]["registry"]) == ("resettle", "registry", 2)
    await register("r3", "many")
    assert await house.claims() == {"214": "active", "113": "active"}
    await register("r4", "many")
    assert len(house.inbox("command")) == 2, "nothing to settle"


async def test_what_is_in_use_becomes_an_entry_of_the_registry_once(house: House) -> None:
    await house.say("a", "214", 1)
    await house.say("a", "Oslo", 2, predicate="lives_in")
    await house.say("a", "tea", 3, predicate="brews", cardinality_hint="many")
    await house.say("b", "113", 4, entity="user:u2", cardinality_hint="many")
    await house.say("b", "113", 5, entity="user:u3", cardinality_hint="one")
    assert await Registrar(house.ledger, house.log, "memory").tick() == 2
    assert await Registrar(house.ledger, house.log, "memory").tick() == 2, "the first is on its way"
    await house.settle()
    async with house.ledger.snapshot() as reads:
        rows = await reads.control_log("t", "registry")
    specs = [RegistrySet.from_json(row.body).predicates[0] for row in rows]
    assert [(spec.name, spec.cardinality) for spec in specs] == [("brews", "many"), ("office", "one")]
    # The slot that held the other number of values is settled anew.
    assert [body["entity"] for body in house.inbox("command")] == ["user:u2"]
    assert await Registrar(house.ledger, house.log, "memory").tick() == 0


async def test_what_is_taken_back_gives_way_to_what_it_replaced(house: House) -> None:
    await house.say("a", "Elm Street", 1)
    await house.say("a", "Oak Street", 2)
    wrong = next(row for row in await house.rows() if row.value.text == "Oak Street")
    await house.tell(house.command("r1", "retract", 3, claim_id=wrong.id))
    assert await house.claims() == {"Elm Street": "active", "Oak Street": "retracted"}
    await house.say("importer", "Oak Street", 2.5, event_id="copy")
    assert await house.claims() == {"Elm Street": "active", "Oak Street": "retracted"}


async def test_a_judge_that_does_not_decide_leaves_a_dispute(house: House) -> None:
    await house.policy("llm-judge")
    await house.say("a", "214", 1)
    await house.say("b", "113", 2)
    assert len(house.log.records("judge")) == 1
    (verdict,) = house.inbox("verdict")
    assert (verdict["relation"], verdict["judge"]) == ("undecided", "undecided")
    assert await house.claims() == {"214": "active", "113": "disputed"}
    assert [row.change for row in house.disputes()] == ["opened"]


async def test_a_fact_for_the_future_begins_when_its_moment_has_come(house: House) -> None:
    await house.say("a", "214", 1)
    await house.say("a", "113", 2, valid_from=START + timedelta(hours=10))
    assert await house.claims() == {"214": "active", "113": "scheduled"}
    house.at = START + timedelta(hours=9)
    await house.settle()
    assert not house.inbox("due")
    house.at = START + timedelta(hours=11)
    await house.settle()
    (due,) = house.inbox("due")
    assert due["event_time"] == due["due_at"] == "2026-03-01T19:00:00Z"
    assert await house.claims() == {"214": "superseded", "113": "active"}
    await house.settle()
    assert len(house.inbox("due")) == 1


async def test_two_timekeepers_send_a_moment_once(house: House) -> None:
    await house.say("a", "113", 2, valid_from=START + timedelta(hours=10))
    house.at = START + timedelta(hours=11)
    other = Timekeeper(house.ledger, house.log, lambda: house.at, "memory")
    assert (await house.keeper.tick(), await other.tick()) == (1, 0)
    assert len(house.inbox("due")) == 1


async def test_a_moment_that_stays_due_is_a_fault_and_no_endless_loop() -> None:
    class Forgetful(MemoryTransaction):
        async def mark_due_sent(self, rows: Sequence[DueAt]) -> None:
            pass

    ledger = MemoryLedger()
    house = House(ledger)
    await house.say("a", "113", 2, valid_from=START + timedelta(hours=10))
    house.at = START + timedelta(hours=11)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryTransaction, "mark_due_sent", Forgetful.mark_due_sent)
        with pytest.raises(IntegrityError, match="still due"):
            await house.keeper.tick()


class FailingBroker:
    """Takes nothing."""

    async def publish(self, records: Sequence[OutRecord]) -> None:
        raise Killed("while publishing")


async def test_a_moment_that_was_committed_and_not_published_is_sent_by_the_next_timekeeper(
    house: House,
) -> None:
    await house.say("a", "113", 2, valid_from=START + timedelta(hours=10))
    house.at = START + timedelta(hours=11)
    with pytest.raises(Killed):
        await Timekeeper(house.ledger, FailingBroker(), lambda: house.at, "memory").tick()
    assert not house.inbox("due")
    await house.settle()
    assert len(house.inbox("due")) == 1 and await house.claims() == {"113": "active"}


async def story(house: House) -> None:
    """Everything above on several entities, in one history."""
    entities = ("user:u1", "user:u2", "user:u3")
    for entity in entities:
        await house.say("a", "Elm", 1, predicate="home", entity=entity)
        await house.say("a", "Oak", 2, predicate="home", entity=entity)
        await house.say(
            "a", "later", 2, predicate="desk", entity=entity, valid_from=START + timedelta(hours=30)
        )
    await house.policy("authority", {"a": 0.9, "b": 0.2, "c": 0.3, "boss": 0.95})
    for entity in entities:
        await house.say("a", "214", 3, entity=entity)
        await house.say("b", "113", 4, entity=entity)
    actions = ("accept_challenger", "uphold_incumbent", "dismiss")
    for number, (event, action) in enumerate(zip(house.disputes(), actions, strict=True)):
        await house.tell(
            house.command(
                f"r{number}",
                action,
                5,
                entity=event.entity,
                dispute_id=event.dispute_id,
                expected_slot_version=event.slot_version,
            )
        )
        await house.tell(
            house.command(
                f"x{number}", "retract", 6, entity=event.entity, predicate="home", value_key="text:oak"
            )
        )
        await house.say("c", "Oak", 5.5, predicate="home", entity=event.entity, event_id=f"late{number}")
        await house.say("b", "113", 7, entity=event.entity)
    await house.policy("llm-judge")
    for entity in entities:
        await house.say("a", "north", 8, predicate="wing", entity=entity)
        await house.say("b", "south", 9, predicate="wing", entity=entity)
    house.at = START + timedelta(hours=31)
    await house.settle()
    await house.tell(house.command("y", "reconsider", 40, entity=entities[2]))


async def replayed(ledger: Ledger, told: MemoryLog, batch: int) -> str:
    """The digest after the same control log and inboxes, with nothing of what judges and clocks would add."""
    kept = (topic_name("control", "memory"), topic_name("inbox", "memory"))
    log = MemoryLog(topics={name: rows for name, rows in told.topics.items() if name in kept})
    while True:
        try:
            for name in ("control", "adjudicate"):
                parts = Parts(ledger, Nowhere(), "memory")
                await Driver(log, build_stages([name], parts), batch=batch).run()
            return await digest(ledger)
        except Killed:
            continue


class Nowhere:
    """A replay publishes nothing."""

    async def publish(self, records: Sequence[OutRecord]) -> None: ...


@pytest.mark.postgres
async def test_the_logs_alone_give_the_same_ledger_in_any_batch_with_any_crash(
    request: pytest.FixtureRequest,
) -> None:
    live = House(MemoryLedger())
    await story(live)
    wanted = await digest(live.ledger)
    kinds = {body["type"] for row in live.log.records("inbox") if (body := read_object(row.value))}
    assert kinds == {"proposal", "command", "verdict", "due"}
    statuses = {row.status async for one in live.ledger.entities() for row in one.claims}
    assert {"active", "rejected", "retracted", "disputed", "superseded"} <= statuses
    found = {}
    for kind in ("memory", "postgres"):
        for batch in (1, 7, 1000):
            for chance in (0.0, 0.3):
                schema = f"s{batch}_{round(chance * 10)}"
                async with opened(kind, request, schema) as ledger:
                    mortal = cast(Ledger, Mortal(ledger, chance, seed=batch))
                    found[kind, batch, chance] = await replayed(mortal, live.log, batch)
    assert set(found.values()) == {wanted}, (wanted, found)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_crashes_on_the_way_change_nothing(seed: int) -> None:
    """The whole story with processes that die: each record has the same effect, each moment and question one answer."""
    quiet = House(MemoryLedger())
    await story(quiet)
    ledger = MemoryLedger()
    shaky = House(cast(Ledger, Mortal(ledger, 0.2, seed)), batch=3)
    await story(shaky)
    assert await digest(ledger) == await digest(quiet.ledger)


class Clever:
    """A judge that lets the proposed statement win, and cannot read one about the south."""

    id = "clever/1"

    async def judge(self, request: JudgeRequest) -> Judgement:
        if request.content.proposed.value == "south":
            raise PoisonError("what wing?")
        return Judgement(relation="contradicts", prevails=True, reason="newer")


async def test_another_judge_decides_and_what_it_cannot_judge_is_undecided() -> None:
    house = House(MemoryLedger(), judge=Clever())
    await house.policy("llm-judge")
    for old, new in (("214", "113"), ("north", "south")):
        await house.say("a", old, 1, predicate=f"p{old}")
        await house.say("b", new, 2, predicate=f"p{old}")
    assert await house.claims("p214") == {"214": "superseded", "113": "active"}
    assert await house.claims("pnorth") == {"north": "active", "south": "disputed"}
    assert "could not be judged: what wing?" in canonical_json(house.inbox("verdict")).decode()
