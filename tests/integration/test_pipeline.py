"""The whole pipeline on a real broker and a real Postgres: what comes of turns, and that nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from schemas.claims import ClaimChanged
from schemas.control import AuthoritySet, PolicyRule, PolicySet, Weight
from schemas.disputes import DisputeChanged
from schemas.facts import Mention
from schemas.inbox import Candidate, Proposal, ProposalContent
from schemas.values import TypedValue
from streams.embedded.tansu import Tansu
from streams.envelope import control_record, open_publisher
from streams.publisher import Publisher
from streams.stage import InRecord, OutRecord
from tests.fixtures.broker import Broker
from tests.fixtures.pipeline import LONG_S, TENANT, Pipeline, broken, make_pipeline, turn
from tests.fixtures.proxy import Proxy
from topics.declaration import topic_name
from topics.partitioner import encode_key

pytestmark = [pytest.mark.broker, pytest.mark.postgres, pytest.mark.slow]


#: Enough facts in one turn for a facts record of some kilobytes.
_THINGS = "onion pumpkin cherry apple potato lentil".split()


@pytest.fixture
def pipeline(broker: Broker, database: str, tmp_path: Path) -> Iterator[Pipeline]:
    made = make_pipeline(broker.bootstrap, database, tmp_path)
    yield made
    made.stop()


async def records(pipeline: Pipeline, short: str) -> list[InRecord]:
    """Everything on a topic."""
    async with pipeline.look() as (ends, _):
        return [record async for record in ends.read(short, await ends.now())]


async def until(holds: Callable[[], object], what: str) -> None:
    async with asyncio.timeout(LONG_S):
        while not holds():  # noqa: ASYNC110 - another process makes it so
            await asyncio.sleep(0.05)
    assert holds(), what


@pytest.mark.smoke
def test_turns_become_claims_vectors_and_a_dispute(pipeline: Pipeline) -> None:
    pipeline.start_all()
    asyncio.run(_turns_become_claims(pipeline))


async def _turns_become_claims(pipeline: Pipeline) -> None:
    policy = PolicySet(
        tenant=TENANT, event_id="p1", rules=(PolicyRule(pattern="user.timezone", strategy="authority"),)
    )
    weights = (Weight(agent="agent-a", weight=0.9), Weight(agent="agent-b", weight=0.2))
    authority = AuthoritySet(tenant=TENANT, event_id="a1", weights=weights)
    async with open_publisher(pipeline.settings, "control") as publisher:
        await publisher.publish([control_record(event, pipeline.settings) for event in (policy, authority)])
    await pipeline.through("control")
    await pipeline.say(
        turn(1, "I'm in PST."),
        turn(2, "I'm in EST.", agent="agent-b"),
        turn(3, "Could we meet at noon?"),
        turn(4, "I live in Lisbon.", user="u2"),
        turn(4, "I live in Lisbon.", user="u2"),
    )
    numbers = await pipeline.through()
    assert broken(numbers) == []
    assert numbers.records["turns"] == 5
    assert numbers.ledger.counter("extract", "extracted", "no_facts") == 1
    assert numbers.ledger.counter("extract", "discarded", "duplicate_event") == 1
    assert (numbers.facts, numbers.vectors, numbers.active_vectors) == (3, 3, 2)
    async with pipeline.look() as (_, reads):
        zones = await reads.claims(TENANT, "user:u1")
        assert [(claim.value.text, claim.status, agents) for claim, agents in zones] == [
            ("PST", "active", ("agent-a",)),
            ("EST", "disputed", ("agent-b",)),
        ]
    (record,) = await records(pipeline, "disputes")
    dispute = DisputeChanged.from_json(record.value)
    assert (dispute.change, dispute.predicate, dispute.content.challenger.value) == (
        "opened",
        "timezone",
        "EST",
    )
    assert record.key == encode_key(TENANT, "user:u1")
    vectors = await pipeline.vectors()
    try:
        kept = {row.text: row.status async for row in vectors.rows(TENANT)}
    finally:
        await vectors.close()
    assert kept == {
        "The user's timezone is PST": "active",
        "The user's timezone is EST": "disputed",
        "The user lives in Lisbon": "active",
    }


def test_two_workers_share_and_a_killed_ones_partitions_are_taken_over(pipeline: Pipeline) -> None:
    pipeline.start("extract", "control", "judge", "project")
    first = pipeline.launch("resolve", "adjudicate")
    second = pipeline.launch("resolve", "adjudicate")
    for child in (first, second):
        pipeline.wait_ready(child, "resolve", "adjudicate")
    asyncio.run(_killed(pipeline))


async def _killed(pipeline: Pipeline) -> None:
    def shares(stage: str) -> tuple[int, ...]:
        return tuple(pipeline.assigned(child, stage) for child in pipeline.workers[1:])

    for stage in ("resolve", "adjudicate"):
        await until(lambda stage=stage: sum(shares(stage)) == 8 and min(shares(stage)) > 0, "they share")
    victim = pipeline.workers[2]
    said = [
        turn(n, f"I live in {('Lisbon', 'Ghent', 'Porto', 'Turin')[n // 40 % 4]}.", user=f"u{n % 40}")
        for n in range(400)
    ]
    await pipeline.say(*said[:200])
    async with pipeline.look() as (_, reads):
        async with asyncio.timeout(LONG_S):
            while (await reads.counts()).tables["decisions"] == 0:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        victim.kill()
        await pipeline.say(*said[200:])
    numbers = await pipeline.through()
    assert broken(numbers) == []
    assert numbers.ledger.tables["decisions"] == len(said)
    assert pipeline.assigned(pipeline.workers[1], "resolve") == 8
    # Each entity's versions on the claims topic are dense and first seen in order, whoever published them.
    latest: Counter[str] = Counter()
    for record in await records(pipeline, "claims"):
        event = ClaimChanged.from_json(record.value)
        if event.entity_version > latest[event.entity]:
            assert event.entity_version == latest[event.entity] + 1
            latest[event.entity] = event.entity_version
    assert len(latest) == 40


@pytest.mark.smoke
def test_poison_becomes_a_dead_letter_and_its_neighbours_pass(pipeline: Pipeline) -> None:
    pipeline.start_all()
    asyncio.run(_poison(pipeline))


async def _poison(pipeline: Pipeline) -> None:
    prefix = pipeline.settings.topic_prefix
    turns, inbox, facts = (topic_name(short, prefix) for short in ("turns", "inbox", "facts"))
    key = encode_key(TENANT, "c-u1")
    good = turn(1, "I live in Lisbon.").to_json()
    poison = {
        b"\xff\xfenot json": "UnreadableRecord",
        good.replace(b'"schema_version":"1.0"', b'"schema_version":"7.0"'): "UnknownVersion",
        good.replace(b'"tenant":"acme"', b'"tenant":""'): "UnreadableRecord",
        good.replace(b'"tenant":"acme",', b""): "UnreadableRecord",
        turn(1, "I live in a place that the same event never named.").to_json(): "OtherBody",
    }
    stray = Proposal(
        tenant=TENANT,
        entity="user:u1",
        id="00000000-0000-5000-8000-000000000001",
        source="s",
        event_id="e",
        ordinal=0,
        agent="agent-a",
        origins=("o",),
        event_time="2026-01-01T00:00:00Z",
        received_at="2026-01-01T00:00:00Z",
        content=ProposalContent(
            mention=Mention(text="u1"),
            label="lives_in",
            candidates=(
                Candidate(
                    predicate="lives_in",
                    match="exact",
                    score=1.0,
                    value=TypedValue(type="text", text="Hidden", key="text:hidden"),
                ),
            ),
            text="u1 lives in Hidden",
        ),
    )
    publisher = Publisher(pipeline.settings.bootstrap)
    await publisher.start()
    try:
        await publisher.publish([OutRecord(turns, key, good)])
        await publisher.publish([OutRecord(turns, key, value) for value in poison])
        await publisher.publish([OutRecord(inbox, encode_key(TENANT, "user:u2"), stray.to_json())])
        await publisher.publish([OutRecord(facts, key, b'{"type":"facts"}')])
        await publisher.publish([OutRecord(turns, key, turn(2, "I work at Fjord Bakery.").to_json())])
    finally:
        await publisher.stop()
    numbers = await pipeline.through()
    # What strangers wrote to our topics came out of no outbox, and the sums say so; all others hold.
    assert broken(numbers, but=("on facts", "on inbox")) == []
    assert len(broken(numbers)) == 2
    letters = await records(pipeline, "deadletters")
    found = Counter()
    for letter in letters:
        headers = {name: value.decode() for name, value in letter.headers if name.startswith("claimstream_")}
        place = headers["claimstream_stage"], headers["claimstream_origin_topic"]
        assert place in {("extract", turns), ("resolve", facts), ("adjudicate", inbox)}
        assert (
            headers["claimstream_origin_offset"].isdigit()
            and headers["claimstream_origin_partition"].isdigit()
        )
        assert "Hidden" not in str(letter.headers) and "never named" not in str(letter.headers)
        if place[0] == "extract":
            assert letter.value is not None
            assert headers["claimstream_error_class"] == poison[letter.value]
            assert letter.key == key
        found[place[0], headers["claimstream_error_class"]] += 1
    assert found == Counter(
        [("extract", kind) for kind in poison.values()]
        + [("resolve", "UnreadableRecord"), ("adjudicate", "KeyMismatch")]
    )
    async with pipeline.look() as (_, reads):
        believed = {claim.value.text for claim, _ in await reads.claims(TENANT, "user:u1", ("active",))}
    assert believed == {"Lisbon", "Fjord Bakery"}


def test_a_consequence_over_the_limit_makes_its_turn_a_dead_letter(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_oversized(pipeline, monkeypatch))


async def _oversized(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    import streams.assembly as assembly
    from streams.faust_adapter import FaustOptions
    from streams.worker import host

    prefix = pipeline.settings.topic_prefix
    limits = {**assembly.size_limits(prefix), topic_name("facts", prefix): 2000}
    monkeypatch.setattr(assembly, "size_limits", lambda _prefix: limits)
    stop = asyncio.Event()
    options = FaustOptions(pipeline.settings.bootstrap, prefix, session_timeout_s=6.0)
    async with assembly.open_stages(["extract"], pipeline.settings) as opened:
        stages, services = opened
        running = asyncio.create_task(host(stages, options, services=services, stop=stop))
        await pipeline.say(
            turn(1, "I live in Lisbon."),
            turn(2, " ".join(f"I like {thing} {dish}." for thing in _THINGS for dish in ("soup", "pie"))),
            turn(3, "I work at Fjord Bakery."),
        )
        numbers = await pipeline.through("extract")
        stop.set()
        assert await running == 0
    assert numbers.records["turns"] == 3
    assert numbers.ledger.tables["extractions"] == 2
    (letter,) = await records(pipeline, "deadletters")
    headers = dict(letter.headers)
    assert headers["claimstream_error_class"] == b"RecordTooLarge"
    assert b'"event_id":"e2"' in (letter.value or b"")
    passed = [record.value or b"" for record in await records(pipeline, "facts")]
    assert [b'"event_id":"e1"' in passed[0], b'"event_id":"e3"' in passed[1]] == [True, True]


def test_a_database_that_goes_away_is_waited_for(broker: Broker, database: str, tmp_path: Path) -> None:
    with Proxy(database) as proxy:
        pipeline = make_pipeline(broker.bootstrap, proxy.dsn, tmp_path)
        # What looks at the end goes around the proxy.
        direct = Pipeline({**pipeline.values, "dsn": database}, pipeline.settings, tmp_path)
        direct.settings = pipeline.settings.model_copy(update={"dsn": type(pipeline.settings.dsn)(database)})
        try:
            worker = pipeline.start_all()
            asyncio.run(_database_away(pipeline, direct, proxy, worker.log_path))
            assert worker.poll() is None, "it retried in place"
        finally:
            pipeline.stop()


async def _database_away(pipeline: Pipeline, direct: Pipeline, proxy: Proxy, log: Path) -> None:
    await direct.say(*(turn(n, "I live in Lisbon.", user=f"u{n}") for n in range(50)))
    proxy.cut()
    await direct.say(*(turn(n, "I live in Ghent.", user=f"u{n - 50}") for n in range(50, 100)))
    await until(lambda: "trying again" in log.read_text(), "the worker noticed")
    proxy.restore()
    numbers = await direct.through()
    assert broken(numbers) == []
    assert numbers.ledger.tables["decisions"] == 100


def test_a_stage_that_hangs_ends_its_worker_and_the_next_one_goes_on(
    broker: Broker, database: str, tmp_path: Path
) -> None:
    pipeline = make_pipeline(broker.bootstrap, database, tmp_path)
    pipeline.values["stall_s"] = "3"
    try:
        stuck = pipeline.start_all()
        asyncio.run(pipeline.say(turn(1, "I live in Lisbon.")))
        asyncio.run(pipeline.through())
        schema = pipeline.settings.db_schema
        with psycopg.connect(database) as other:
            # Somebody holds the rows that a batch of adjudicate must lock: it waits, and nothing raises.
            other.execute(f"SELECT * FROM {schema}.progress WHERE stage = 'adjudicate' FOR UPDATE".encode())
            asyncio.run(pipeline.say(turn(2, "I live in Ghent.")))
            assert stuck.wait(LONG_S) == 1
            other.rollback()
        assert "adjudicate is at 1 of 2 records and did not move" in stuck.log_path.read_text()
        pipeline.start_all()
        numbers = asyncio.run(pipeline.through())
        assert broken(numbers) == []
        assert numbers.ledger.tables["decisions"] == 2
    finally:
        pipeline.stop()


def test_a_broker_that_hangs_is_waited_for(database: str, tmp_path: Path) -> None:
    with Tansu() as own:
        pipeline = make_pipeline(own.bootstrap, database, tmp_path)
        try:
            worker = pipeline.start_all()
            asyncio.run(_broker_hangs(pipeline, own.pid, worker.log_path))
            assert worker.poll() is None, "it retried in place"
        finally:
            pipeline.stop()


async def _broker_hangs(pipeline: Pipeline, pid: int, log: Path) -> None:
    await pipeline.say(*(turn(n, "I live in Lisbon.", user=f"u{n}") for n in range(100)))
    before = len(log.read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        # Until somebody complains; a worker that had nothing to say in that time had nothing to lose either.
        for _ in range(150):
            await asyncio.sleep(0.1)
            if any(word in log.read_text()[before:] for word in ("trying again", "[error", "[warning")):
                break
    finally:
        os.kill(pid, signal.SIGCONT)
    await pipeline.say(*(turn(n, "I live in Ghent.", user=f"u{n - 100}") for n in range(100, 200)))
    numbers = await pipeline.through()
    assert broken(numbers) == []
    assert numbers.ledger.tables["decisions"] == 200
