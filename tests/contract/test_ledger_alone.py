"""What every ledger must do for commands, verdicts and due moments: find slots, load them whole, keep rulings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from processors.deciding.model import FOREVER, CellKey, DueAt, EntityKey, Pending, SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import LoadPlan, WorkingSet, every_slot, plan
from schemas.base import read_object
from schemas.inbox_records import InboxRecord
from sinks.ports import Ledger
from tests.contract.alone_world import command, decide, decide_in, disputed, slot, whole
from tests.contract.ledger_world import LOG, START, digest, ledger, opened, rows
from tests.contract.test_ledger import key
from tests.unit.deciding.world import World

__all__ = ["ledger"]

OWNER = EntityKey("t", "user:u1")


def challenged(made: World) -> list[InboxRecord]:
    """a says 214, b says 113: a dispute; and something of another slot, another entity, another tenant."""
    return [
        made.proposal("a", "214", 1, event_id="e1"),
        made.proposal("b", "113", 2, event_id="e2"),
        made.proposal("a", "Berlin", 3, event_id="e3", predicate="home"),
        made.proposal("a", "214", 3, event_id="e4", entity="user:u2"),
        made.proposal("a", "214", 3, event_id="e5", tenant="other"),
    ]


async def the_dispute(ledger: Ledger) -> UUID:
    ws = await whole(ledger, slot())
    (found,) = (row for held in ws.disputes.values() for row in held.values())
    return found.id


async def located(ledger: Ledger, owner: EntityKey = OWNER, **wanted: Any) -> list[SlotKey]:
    async with ledger.transaction(LOG) as tx:
        return (await tx.locate([Locate(owner, **wanted)]))[0]


async def ruled(ledger: Ledger, made: World) -> None:
    """A dispute that was upheld, a value that was taken back, one that was restored."""
    await decide(ledger, made, challenged(made), 5)
    uphold = command(
        made, "r1", "uphold_incumbent", 4, dispute_id=await the_dispute(ledger), expected_slot_version=99
    )
    gone = command(made, "r2", "retract", 5, predicate="office", value_key="text:99")
    back = command(made, "r3", "retract", 6, predicate="office", value_key="text:77")
    restored = command(made, "r4", "restore", 7, retraction_id=back.id)
    await decide(ledger, made, [uphold, gone, back, restored])


async def test_a_slot_loaded_whole_has_everything(ledger: Ledger) -> None:
    made = disputed()
    await ruled(ledger, made)
    ws = await whole(ledger, slot())
    assert {row.value.text: row.status for row in ws.claims.values()} == {"214": "active", "113": "rejected"}
    assert {row.agent for held in ws.supports.values() for row in held.values()} >= {"a", "b", "boss"}
    assert not any(ws.disputes.values())
    (closed,) = ws.closed_disputes.values()
    assert closed.status == "resolved" and closed.parties_since > 0
    (standing,) = ws.standings.values()
    assert (standing.value_key, standing.agents, standing.weight) == ("text:113", ("b",), 0.2)
    assert {row.value_key: row.undone for row in ws.retractions.values()} == {
        "text:99": False,
        "text:77": True,
    }
    told = ws.stories[slot()]
    assert [read_object(row.body)["event_id"] for row in told] == ["e1", "e2", "r1", "r2", "r3", "r4"]
    assert [row.number for row in told] == [1, 2, 4, 5, 6, 7], "e3 was the third decision of the entity"


async def test_statements_see_rulings_and_what_is_taken_back_but_not_what_was_restored(
    ledger: Ledger,
) -> None:
    made = disputed()
    await ruled(ledger, made)
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan([made.proposal("b", "113", 9)]))
    assert [row.value_key for row in ws.standings.values()] == ["text:113"]
    assert [row.value_key for row in ws.retractions.values()] == ["text:99"]
    assert not ws.stories and not ws.closed_disputes


async def test_cells_are_loaded_also_of_slots_that_are_not_asked_for(ledger: Ledger) -> None:
    made = World()
    await decide(ledger, made, [made.proposal("a", "214", 1)])
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(LoadPlan((), (), (), {CellKey(slot(), ""): FOREVER}))
    assert [row.value.text for row in ws.claims.values()] == ["214"] and not ws.slots


async def test_what_was_never_spoken_of_has_an_empty_story(ledger: Ledger) -> None:
    ws = await whole(ledger, slot("unknown"))
    assert ws.stories == {slot("unknown"): []} and not ws.slots


async def test_slots_are_found_by_what_is_in_them_and_only_their_owners(ledger: Ledger) -> None:
    made = disputed()
    records = challenged(made)
    await decide(ledger, made, records, 5)
    found = await rows(ledger)
    claims = tuple(row.id for one in found for row in one.claims)
    dispute = await the_dispute(ledger)
    both = [slot("home"), slot()]
    assert await located(ledger, claims=claims) == both
    assert await located(ledger, disputes=(dispute, key(1))) == [slot()]
    assert await located(ledger, records=(records[2].id,)) == [slot("home")]
    assert await located(ledger, events=(("s", "e3"), ("s", "e4"), ("x", "e1"))) == [slot("home")]
    assert await located(ledger, every=True) == both
    assert await located(ledger) == []
    for other in (EntityKey("t", "user:u2"), EntityKey("other", "user:u1")):
        theirs = await located(ledger, other, claims=claims, disputes=(dispute,), records=(records[0].id,))
        assert theirs == [SlotKey(*other, "office", "")]
        assert await located(ledger, other, disputes=(dispute,), events=(("s", "e1"),)) == []


async def test_a_retraction_is_found_in_its_slots_and_one_of_all_in_all(ledger: Ledger) -> None:
    made = disputed()
    await decide(ledger, made, challenged(made), 5)
    one = command(made, "r1", "retract", 4, predicate="office", value_key="text:214")
    forget = made.proposal("a", "", 5, event_id="f", predicate="*", act="retract")
    await decide(ledger, made, [one, forget], 2)
    assert await located(ledger, retractions=(one.id,)) == [slot()]
    assert await located(ledger, retractions=(forget.id,)) == [slot("home"), slot()]
    assert await located(ledger, EntityKey("other", "user:u1"), retractions=(forget.id,)) == []
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(plan([made.proposal("a", "new", 9, predicate="never_seen")]))
    assert [row.slot for row in ws.retractions.values()] == [every_slot(OWNER)]


async def test_a_transaction_sees_what_it_has_flushed(ledger: Ledger) -> None:
    made = disputed()
    async with ledger.transaction(LOG) as tx:
        for record in challenged(made)[:2]:
            await decide_in(tx, made, record)
        (found,) = await tx.locate([Locate(OWNER, events=(("s", "e2"),))])
        ws = await tx.load(LoadPlan((key(1),), (OWNER,), (), {}, (), whole=tuple(found)))
        assert found == [slot()]
        assert ws.entities[OWNER].decisions == 2 and len(ws.stories[slot()]) == 2
        (dispute,) = (row for held in ws.disputes.values() for row in held.values())
        ruling = command(
            made,
            "r1",
            "accept_challenger",
            4,
            dispute_id=dispute.id,
            expected_slot_version=ws.slots[slot()].version,
        )
        assert (await decide_in(tx, made, ruling)).outcome == "APPLIED"
        after = await tx.load(LoadPlan((), (OWNER,), (), {}, (), whole=(slot(),)))
        assert {row.value.text: row.status for row in after.claims.values()} == {
            "214": "rejected",
            "113": "active",
        }


async def test_what_a_crash_undid_is_not_seen(ledger: Ledger) -> None:
    made = disputed()
    with pytest.raises(RuntimeError):
        async with ledger.transaction(LOG) as tx:
            for record in challenged(made):
                await decide_in(tx, made, record)
            raise RuntimeError("killed")
    assert await located(ledger, every=True) == []
    assert await rows(ledger) == []


async def test_rows_without_ground_are_gone(ledger: Ledger) -> None:
    made = World()
    said: list[InboxRecord] = [
        made.proposal("a", "Elm", 1),
        made.proposal("b", "Elm", 2, ended=True),
        made.proposal("c", "Oak", 3),
    ]
    await decide(ledger, made, said, 3)
    before = await whole(ledger, slot())
    assert before.endings and {agent for held in before.supports.values() for agent in held} == {"a", "c"}
    await decide(ledger, made, [command(made, "r", "retract", 4, predicate="office")])
    ws = await whole(ledger, slot())
    assert not ws.endings and not any(ws.supports.values())
    assert {row.status for row in ws.claims.values()} == {"retracted"}


async def test_a_row_may_be_taken_away_and_given_back_at_once(ledger: Ledger) -> None:
    made = World()
    await decide(ledger, made, [made.proposal("a", "Elm", 1)])
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(LoadPlan((), (OWNER,), (), {}, (), whole=(slot(),)))
        (support,) = (row for held in ws.supports.values() for row in held.values())
        ws.remove_support(support.cell, "a")
        ws.put_support(replace(support, confidence=0.5))
        await tx.flush(ws)
    ws = await whole(ledger, slot())
    assert [row.confidence for held in ws.supports.values() for row in held.values()] == [0.5]


async def test_a_claim_that_a_refold_makes_has_its_vector(ledger: Ledger) -> None:
    made = World()
    early = made.proposal("b", "214", 3)
    early = early.model_copy(update={"content": early.content.model_copy(update={"vector": "AQID"})})
    taken = command(made, "r1", "retract", 5, predicate="office", value_key="text:214")
    back = command(made, "r2", "restore", 6, retraction_id=taken.id)
    decisions = await decide(ledger, made, [made.proposal("a", "99", 1), taken, early, back])
    assert decisions[2].outcome == "SUPPRESSED"
    (found,) = await rows(ledger)
    assert {row.value.text: row.vector for row in found.claims} == {"99": "", "214": "AQID"}


async def test_what_rests_on_a_claim_is_known(ledger: Ledger) -> None:
    made = World()
    first = made.proposal("a", "214", 1, event_id="e1")
    await decide(ledger, made, [first])
    (claim,) = (await whole(ledger, slot())).claims
    said: list[InboxRecord] = [
        made.proposal("b", "Harbor", 2, predicate="building", origins=(f"claim:{claim}",)),
        made.proposal("b", "North", 3, predicate="district", origins=("s:e1", "s:other")),
        made.proposal("b", "South", 3, predicate="wing", origins=("s:other",)),
        # Told again: it does not rest on itself.
        made.proposal("d", "214", 2, origins=(f"claim:{claim}",)),
        # The same event says two things: neither rests on the other.
        made.proposal("a", "Tuesday", 4, predicate="day", event_id="e1", id=key(7)),
        made.proposal("b", "Harbor", 2, entity="user:u2", predicate="building", origins=(f"claim:{claim}",)),
    ]
    await decide(ledger, made, said)
    ws = await whole(ledger, slot())
    (found,) = (one for one in await rows(ledger) if one.entity.key == OWNER)
    resting = {row.id for row in found.claims if row.cell.slot.predicate in ("building", "district")}
    assert {key: set(value) for key, value in ws.derived.items()} == {claim: resting}
    decision = (await decide(ledger, made, [command(made, "r", "retract", 9, claim_id=claim)]))[0]
    assert decision.detail["retracted"] == [str(claim)]


async def test_what_waits_for_a_judge_is_kept_until_it_does_not(ledger: Ledger) -> None:
    made = World()
    made.policy("llm-judge")
    await decide(ledger, made, [made.proposal("a", "214", 1), made.proposal("b", "113", 2)])
    ws = await whole(ledger, slot())
    (waiting,) = ws.pending.values()
    assert waiting.round == 1 and ws.claims[waiting.asked[0]].value.text == "214"
    async with ledger.transaction(LOG) as tx:
        ws.put_pending(Pending(waiting.claim_id, slot(), waiting.asked, 2))
        await tx.flush(_only(ws, "dirty_pending"))
    assert [row.round for row in (await whole(ledger, slot())).pending.values()] == [2]
    async with ledger.transaction(LOG) as tx:
        ws = await tx.load(LoadPlan((), (OWNER,), (), {}, (), whole=(slot(),)))
        ws.forget_pending(waiting.claim_id)
        await tx.flush(ws)
    assert not (await whole(ledger, slot())).pending


def _only(ws: WorkingSet, name: str) -> WorkingSet:
    made = WorkingSet(slots=ws.slots)
    setattr(made, name, getattr(ws, name))
    return made


def due(n: int, hours: float | None, what: str = "starts") -> DueAt:
    at = None if hours is None else START + timedelta(hours=hours)
    return DueAt(OWNER, key(n), what, at)


async def put_dues(ledger: Ledger, *dues: DueAt) -> None:
    ws = WorkingSet()
    for row in dues:
        ws.put_due(row)
    async with ledger.transaction(LOG) as tx:
        await tx.flush(ws)


async def came(ledger: Ledger, hours: float, limit: int = 10) -> list[DueAt]:
    async with ledger.snapshot() as reads:
        return await reads.due_before(START + timedelta(hours=hours), limit)


async def test_moments_come_in_order_and_once(ledger: Ledger) -> None:
    await put_dues(ledger, due(1, 3), due(2, 1), due(3, 9), due(2, 2, "ends"))
    assert await came(ledger, 3) == [due(2, 1), due(2, 2, "ends"), due(1, 3)]
    assert await came(ledger, 3, limit=1) == [due(2, 1)]
    async with ledger.transaction(LOG) as tx:
        await tx.mark_due_sent([due(2, 1), due(1, 3)])
        assert await tx.due_before(START + timedelta(hours=3), 10) == [due(2, 2, "ends")]
    assert await came(ledger, 99) == [due(2, 2, "ends"), due(3, 9)]


async def test_a_moment_that_was_put_off_is_not_forgotten_with_the_old_one(ledger: Ledger) -> None:
    await put_dues(ledger, due(1, 3))
    (old,) = await came(ledger, 3)
    await put_dues(ledger, due(1, 5))
    async with ledger.transaction(LOG) as tx:
        await tx.mark_due_sent([old])
    assert await came(ledger, 9) == [due(1, 5)]
    await put_dues(ledger, due(1, None))
    assert await came(ledger, 9) == []


def history(made: World) -> list[InboxRecord]:
    """Statements and records decided alone, mixed, some of them about nothing."""
    said: list[InboxRecord] = []
    for n in range(40):
        agent, text = "abc"[n % 3], ["214", "113", "99", "77"][n * 7 % 4]
        said.append(made.proposal(agent, text, n % 23, event_id=f"h{n}", predicate=["office", "desk"][n % 2]))
        if n % 4 == 3:
            action, other = _ACTIONS[n // 4 % len(_ACTIONS)]
            said.append(command(made, f"c{n}", action, n % 19, **other))
    return said


_ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("retract", {"predicate": "office", "value_key": "text:113"}),
    ("retract", {"predicate": "unheard_of"}),
    ("reconsider", {}),
    ("retract", {"target_event": "h4", "target_source": "s"}),
    ("confirm", {"claim_id": key(5)}),
    ("restore", {"retraction_id": key(6)}),
    ("reconsider", {"entity": "user:nobody"}),
]


@pytest.mark.postgres
async def test_every_store_and_batch_gives_the_same_digest(request: pytest.FixtureRequest) -> None:
    found: dict[tuple[str, int], str] = {}
    for kind, batch in (
        ("memory", 1),
        ("memory", 1000),
        ("postgres", 1),
        ("postgres", 7),
        ("postgres", 1000),
    ):
        made = disputed()
        async with opened(kind, request, f"s{batch}") as store:
            records = history(made)
            await decide(store, made, records, batch)
            found[kind, batch] = await digest(store)
            counted = [row async for row in store.entities()]
            assert sum(len(row.decisions) for row in counted) == len(records)
            assert any(row.retractions for row in counted)
    assert len(set(found.values())) == 1, found
