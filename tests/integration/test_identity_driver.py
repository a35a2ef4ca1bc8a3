"""Merges and splits, through the real stages and without a broker, on both ledgers."""

from __future__ import annotations

import pytest

from processors.deciding import fold as folding
from schemas.identity import Adopt, AliasSet
from sinks.memory_ledger import MemoryLedger
from tests.contract.identity_world import Line, as_sent, fact, line
from tests.contract.ledger_world import digest

A, B = "person:ana-ruiz", "person:nita-vega"
B_NAME = "Nita Vega"


__all__ = ["line"]


# -- merges ------------------------------------------------------------------------------------------------------------
async def two(line: Line) -> None:
    """Two entities that are one: `a` says EST first, PST later, under one name, CET in between under the other."""
    line.record(fact("Ana Ruiz", "timezone", "EST"), agent="a", minute=1)
    line.record(fact("Ana Ruiz", "timezone", "PST"), agent="a", minute=30)
    line.record(fact("Nita Vega", "timezone", "CET"), agent="a", minute=20)
    line.record(fact("Nita Vega", "likes", "tea"), agent="b", minute=21)
    await line.run()


async def test_a_merge_decides_the_evidence_of_both_in_its_own_order(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    assert await line.values(B, "timezone") == ["PST"], "the latest word, although the move came last"
    assert await line.values(B, "timezone", "superseded") == ["EST", "CET"]
    assert await line.claims(A) == []
    assert {(row.status, row.reason) for row in await line.claims(A, None)} == {("superseded", "moved")}
    assert (await line.head(A)).moved_to == B
    adopted = [Adopt.from_json(row.value) for row in line.inbox("adopt")]
    assert {row.proposal.event_id for row in adopted} == {"e1", "e2"} and {
        row.moved_from for row in adopted
    } == {A}
    evidence = {row.id: row for row in await line.evidence(B)}
    assert {(evidence[row.id].mention, evidence[row.id].order.event_id) for row in adopted} == {
        ("Ana Ruiz", "e1"),
        ("Ana Ruiz", "e2"),
    }


async def test_after_a_merge_the_name_leads_to_the_one_that_stayed(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    line.record(fact("Ana Ruiz", "likes", "rye"), agent="c")
    await line.run()
    assert "rye" in await line.values(B, "likes")
    assert await line.claims(A) == []


async def test_what_comes_late_for_a_merged_entity_is_forwarded(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    line.late(A, "likes", "rye", agent="late", minute=40)
    await line.run()
    (decision,) = [row for row in await line.decisions(A) if row.outcome == "FORWARDED"]
    assert decision.detail["to"] == B
    (evidence,) = [row for row in await line.evidence(B) if row.agent == "late"]
    assert (str(evidence.id), evidence.text) == (decision.detail["as"], "likes rye")
    assert "rye" in await line.values(B, "likes")
    # The same records once more change nothing, here and there.
    before = await digest(line.ledger)
    line.again(line.log.records("inbox"))
    await line.run()
    assert await digest(line.ledger) == before


async def test_a_forward_lost_after_a_merge_would_be_seen(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seeded bug: the merged entity decides what comes late, and two current values stand beside each other."""
    monkeypatch.setattr(folding, "goes_on", lambda entity, proposal: False)
    await two(line)
    await line.merge(A, B)
    line.late(A, "timezone", "CST", agent="late", minute=40)
    await line.run()
    with pytest.raises(AssertionError):
        await nothing_is_believed_of(line, A)


async def nothing_is_believed_of(line: Line, merged: str) -> None:
    assert (await line.head(merged)).moved_to
    assert await line.claims(merged) == [], f"{merged} was merged, what is said of it belongs to the other"


async def test_forwards_follow_forwards(line: Line) -> None:
    await two(line)
    line.record(fact("Cy Ruiz", "likes", "figs"), agent="c")
    await line.run()
    await line.merge(A, B)
    await line.merge(B, "person:cy-ruiz")
    line.late(A, "likes", "rye", agent="late", minute=40)
    await line.run()
    assert set(await line.values("person:cy-ruiz", "likes")) == {"figs", "tea", "rye"}
    assert await line.values("person:cy-ruiz", "timezone") == ["PST"]
    await nothing_is_believed_of(line, A)
    await nothing_is_believed_of(line, B)


async def test_commands_come_once_however_often_they_are_sent(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    before = await digest(line.ledger)
    line.again(line.log.records("control"))
    await line.run()
    assert await digest(line.ledger) == before
    assert line.dead_letters() == []


async def test_circles_and_other_nonsense_are_dead_letters_that_say_what_to_do(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    before = await digest(line.ledger)
    await line.merge(B, A)
    await line.merge(A, "org:acme", "other type")
    await line.assign(A, B)
    assert await digest(line.ledger) == before
    circle, other, assigned = line.dead_letters()
    assert "close a circle" in circle and "first split it off" in circle
    assert f"merge {B} into org:acme" in other
    assert "takes a key like unresolved:robin" in assigned


async def test_what_was_taken_back_does_not_come_by_way_of_a_merge(line: Line) -> None:
    await two(line)
    line.retract(A, "timezone", "PST", minute=50)
    await line.run()
    assert await line.values(A, "timezone") == ["EST"]
    await line.merge(A, B)
    assert await line.values(B, "timezone") == ["CET"]
    line.late(A, "timezone", "PST", agent="a", minute=45, value_type="timezone")
    await line.run()
    assert await line.values(B, "timezone") == ["CET"], "older than the retraction: covered, under any id"


async def test_a_retraction_of_a_merged_entity_takes_effect_where_the_claim_is_now(line: Line) -> None:
    await two(line)
    (claim,) = [row for row in await line.claims(A) if row.cell.slot.predicate == "timezone"]
    await line.merge(A, B)
    line.retract(A, claim_id=claim.id, minute=50)
    await line.run()
    assert await line.values(B, "timezone") == ["CET"]


# -- splits ------------------------------------------------------------------------------------------------------------
async def test_a_split_undoes_a_merge(line: Line) -> None:
    await two(line)
    await line.merge(A, B)
    line.record(fact("Ana Ruiz", "likes", "rye"), agent="c")
    line.record(fact("Nita Vega", "likes", "figs"), agent="c")
    await line.run()
    await line.split(B, A)
    assert await line.values(A, "timezone") == ["PST"] and await line.values(B, "timezone") == ["CET"]
    assert await line.values(A, "timezone", "superseded") != []
    assert await line.values(A, "likes") == ["rye"], "said under that name after the merge"
    assert set(await line.values(B, "likes")) == {"tea", "figs"}
    assert (await line.head(A)).moved_to == ""
    line.record(fact("Ana Ruiz", "likes", "plums"), agent="c")
    line.late(A, "likes", "kale", agent="late", minute=70)
    await line.run()
    assert set(await line.values(A, "likes")) == {"rye", "plums", "kale"}


async def test_merged_and_split_again_and_again(line: Line) -> None:
    await two(line)
    for turn in range(3):
        await line.merge(A, B, f"m{turn}")
        assert await line.values(B, "timezone") == ["PST"] and await line.claims(A) == []
        await line.split(B, A)
        assert await line.values(A, "timezone") == ["PST"]
        assert await line.values(B, "timezone") == ["CET"]


async def test_a_split_gives_back_what_was_assigned_before_the_merge(line: Line) -> None:
    line.record(
        fact("Robin Stone", "likes", "tea"),
        fact("Robin Marsh", "likes", "rye"),
        fact(B_NAME, "likes", "figs"),
    )
    await line.run()
    line.record(fact("Robin", "employer", "Acme"))
    await line.run()
    await line.assign("unresolved:robin", "person:robin-marsh")
    await line.merge("person:robin-marsh", B)
    assert await line.values(B, "employer") == ["Acme"]
    await line.split(B, "person:robin-marsh")
    assert await line.values("person:robin-marsh", "employer") == ["Acme"]
    assert await line.values(B, "employer") == []


async def test_a_split_by_mention_takes_the_name_along(line: Line) -> None:
    line.record(fact("Ana Ruiz", "likes", "tea"))
    line.command(AliasSet(tenant="t", event_id="a", alias="Nita R", alias_type="person", entity=A))
    await line.run()
    line.record(fact("Nita R", "likes", "rye"))
    await line.run()
    await line.split(A, "person:nita-r", mention="Nita R")
    assert (await line.values(A, "likes"), await line.values("person:nita-r", "likes")) == (["tea"], ["rye"])
    line.record(fact("Nita R", "likes", "figs"))
    await line.run()
    assert set(await line.values("person:nita-r", "likes")) == {"rye", "figs"}


async def test_a_split_by_evidence_folds_both_sides(line: Line) -> None:
    line.record(fact("Ana Ruiz", "timezone", "EST"), agent="a", minute=1)
    line.record(fact("Ana Ruiz", "timezone", "PST"), agent="b", minute=2)
    await line.run()
    (wrong,) = [row for row in await line.evidence(A) if row.agent == "b"]
    await line.split(A, "person:ana-ruiz-2", evidence=(wrong.id,))
    assert await line.values(A, "timezone") == ["EST"], "what PST had replaced is current again"
    assert await line.values("person:ana-ruiz-2", "timezone") == ["PST"]
    # What never was about her must not end the period of what comes late.
    line.record(fact("Ana Ruiz", "timezone", "CET"), agent="a", minute=3)
    await line.run()
    assert await line.values(A, "timezone") == ["CET"]


async def test_a_split_of_what_is_not_there_is_refused_and_shown(line: Line) -> None:
    await two(line)
    await line.split(A, "person:new", mention="Somebody else")
    (decision,) = [row for row in await line.decisions(A) if row.case == "moved"]
    assert decision.outcome == "REJECTED" and "it is named: Ana Ruiz" in decision.detail["refused"]
    assert len(line.reviews("split_refused")) == 1
    assert await line.values(A, "timezone") == ["PST"]


async def test_any_batch_gives_the_same_ledger() -> None:
    """And a process that starts again from the beginning of its logs changes nothing."""
    found = set()
    for batch in (1, 7, 1000):
        line = Line(MemoryLedger(), batch=batch)
        await two(line)
        await line.merge(A, B)
        line.late(A, "likes", "rye", agent="late", minute=40)
        line.record(fact("Ana Ruiz", "likes", "figs"), agent="c")
        await line.run()
        await line.split(B, A)
        await line.merge(B, A)
        line.late(B, "likes", "kale", agent="late", minute=41)
        await line.run()
        assert await line.values(A, "timezone") == ["PST"]
        before = await digest(line.ledger)
        line.start()
        await line.run()
        assert await digest(line.ledger) == before
        found.add(before)
    assert len(found) == 1


async def test_the_inbox_alone_gives_the_same_ledger() -> None:
    line = Line(MemoryLedger())
    await two(line)
    await line.merge(A, B)
    line.late(A, "likes", "rye", agent="late", minute=40)
    await line.run()
    await line.split(B, A)
    replayed = MemoryLedger()
    other = Line(replayed, stages=("adjudicate",), batch=3)
    for row in line.log.records("inbox"):
        other.log.append(as_sent(row))
    await other.run()
    # What the replay itself sends on is in the inbox already.
    assert await digest(replayed) == await digest(line.ledger)
