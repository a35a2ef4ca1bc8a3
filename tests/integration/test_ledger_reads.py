"""The questions of people and agents, on a real Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from processors.deciding.fold import fold
from processors.deciding.model import SlotKey
from processors.deciding.working_set import plan
from schemas.errors import ConfigurationError
from schemas.facts import Fact, FactsContent, FactsExtracted, Mention
from schemas.ids import event_uuid
from schemas.inbox import Proposal
from sinks.ledger_reads import LedgerReads
from sinks.ports import DeadLetterRow, Extraction, LogKey, Resolution
from sinks.postgres import PostgresLedger
from tests.contract.ledger_world import LOG, START, run, world
from tests.unit.deciding.world import World

pytestmark = pytest.mark.postgres


@pytest.fixture
async def ledger(database: str) -> AsyncIterator[PostgresLedger]:
    found = PostgresLedger(database)
    await found.open()
    yield found
    await found.close()


@pytest.fixture
async def reads(database: str, ledger: PostgresLedger) -> AsyncIterator[LedgerReads]:
    async with LedgerReads(database) as found:
        yield found


def said(made: World) -> list[Proposal]:
    return [
        made.proposal("a", "Berlin", 1),
        made.proposal("b", "Munich", 2),
        made.proposal("c", "Mitte", 3, predicate="home", scope="org:x"),
        made.proposal("c", "Berlin", 4, entity="user:u2"),
        made.proposal("c", "secret", 5, tenant="other"),
    ]


async def test_claims_come_with_their_supporters_and_by_status(
    ledger: PostgresLedger, reads: LedgerReads
) -> None:
    made = world()
    await run(ledger, made, said(made), 5)
    everything = await reads.claims("t", "user:u1")
    assert [(claim.value.text, claim.status, who) for claim, who in everything] == [
        ("Mitte", "active", ("c",)),
        ("Berlin", "active", ("a",)),
        ("Munich", "disputed", ("b",)),
    ]
    assert [claim.value.text for claim, _ in await reads.claims("t", "user:u1", {"disputed"})] == ["Munich"]
    assert await reads.claims("t", "user:nobody") == []


async def test_a_tenant_never_sees_another(ledger: PostgresLedger, reads: LedgerReads) -> None:
    made = world()
    await run(ledger, made, said(made), 5)
    assert [row[0] for row in await reads.entities("t")] == ["user:u1", "user:u2"]
    assert [row[0] for row in await reads.entities("other")] == ["user:u1"]
    assert [claim.value.text for claim, _ in await reads.claims("other", "user:u1")] == ["secret"]
    assert await reads.disputes("other") == []
    ids = [claim.id for claim, _ in await reads.claims("other", "user:u1")]
    assert await reads.claims_by_id("t", ids) == {}
    assert await reads.slot_chain(SlotKey("third", "user:u1", "office", "")) is None


async def test_a_dispute_comes_with_both_sides(ledger: PostgresLedger, reads: LedgerReads) -> None:
    made = world()
    await run(ledger, made, said(made), 5)
    (view,) = await reads.disputes("t")
    assert view.challenger.value.text == "Munich"
    assert [claim.value.text for claim in view.incumbents] == ["Berlin"]
    assert view.dispute.cell.slot == SlotKey("t", "user:u1", "office", "")
    assert await reads.disputes("t", "resolved") == []
    assert len(await reads.disputes("t", None)) == 1


async def test_a_chain_tells_who_said_what_in_order(ledger: PostgresLedger, reads: LedgerReads) -> None:
    made = world()
    await run(ledger, made, [*said(made), made.proposal("b", "Madrid", 9)], 2)
    chain = await reads.slot_chain(SlotKey("t", "user:u1", "office", ""))
    assert chain is not None and chain.slot.cardinality == "one"
    told = [
        (s.decision.number, s.decision.outcome, s.evidence.agent if s.evidence else "") for s in chain.steps
    ]
    assert [row[2] for row in told] == ["a", "b", "b"]
    assert [row[0] for row in told] == sorted(row[0] for row in told)
    assert [claim.value.text for claim in chain.claims] == ["Berlin", "Munich", "Madrid"]
    assert [c.slot.key.scope for c in await reads.slot_chains("t", "user:u1", "home")] == ["org:x"]


async def test_the_status_of_an_event_follows_it_to_the_end(
    ledger: PostgresLedger, reads: LedgerReads
) -> None:
    made = world()
    facts = FactsExtracted(
        tenant="t",
        source="s",
        event_id="turn-1",
        stream_id="c",
        agent="a",
        outcome="facts",
        event_time=START,
        received_at=START,
        extractor="x",
        content=FactsContent(
            facts=tuple(
                Fact(subject=Mention(text="I"), predicate="office", value="v", ordinal=n) for n in (0, 3)
            )
        ),
    )
    ids = [facts.id_of(fact) for fact in facts.content.facts]
    nothing = await reads.event_status("t", "s", "turn-1")
    assert (nothing.outcome, nothing.done) == (None, False)

    async with ledger.transaction(LogKey("extract", "turns", 0)) as tx:
        key = event_uuid("t", "s", "turn-1")
        await tx.add_extractions([Extraction(key, "t", "s", "turn-1", b"", "facts", 2, facts.to_json())])
        tx.count("received")
        tx.count("emitted", "memory.facts.v1")
    status = await reads.event_status("t", "s", "turn-1")
    assert [fact.entity for fact in status.facts] == [None, None] and not status.done

    async with ledger.transaction(LogKey("resolve", "facts", 0)) as tx:
        await tx.add_resolutions([Resolution(ids[0], "t", "user:u1", b"{}")])
        await tx.dead_letters(
            LogKey("resolve", "facts", 0), [DeadLetterRow(0, "PoisonError", item=1, tenant="t", event=ids[1])]
        )
    status = await reads.event_status("t", "s", "turn-1")
    assert [fact.entity for fact in status.facts] == ["user:u1", None] and not status.done

    proposal = made.proposal("a", "Berlin").model_copy(update={"id": ids[0]})
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan([proposal]))
        fold(ws, [proposal], made.view)
        await tx.flush(ws)
    status = await reads.event_status("t", "s", "turn-1")
    assert (status.facts[0].outcome, status.done) == ("ADD", True)
    assert [(row.stage, row.error_class) for row in status.dead_letters] == [("resolve", "PoisonError")]
    assert (await reads.event_status("other", "s", "turn-1")).outcome is None

    counts = await reads.counts()
    assert counts.tables["facts"] == counts.tables["resolutions"] + counts.tables["dead_letters"] == 2
    assert (
        counts.counter("extract", "received"),
        counts.counter("extract", "emitted", "memory.facts.v1"),
    ) == (1, 1)


async def test_a_ledger_that_is_not_there_is_said_so(database: str) -> None:
    with pytest.raises(ConfigurationError, match="start the stages"):
        await LedgerReads(database, schema="nothing_here").open()
