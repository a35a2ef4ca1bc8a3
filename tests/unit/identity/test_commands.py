"""Merge, split, alias and assign: what is refused, and what moves."""

from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.identity import Known, Name
from processors.identity.commands import (
    Evidence,
    InvalidCommand,
    check_alias,
    check_assign,
    check_merge,
    check_split,
    choose,
)
from processors.identity.forwards import MAX_HOPS, follow
from processors.identity.memory import MemoryIdentity
from processors.identity.moving import adopted, forwarded, moved, proposal_at
from schemas.errors import PoisonError
from schemas.facts import Mention
from schemas.identity import Adopt, AliasSet, AssignUnresolved, MergeEntities, Moved, SplitEntity
from schemas.ids import NAMESPACE
from schemas.inbox import Candidate, Proposal, ProposalContent, Versions
from schemas.values import TypedValue

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def ident(n: int) -> UUID:
    return uuid5(NAMESPACE, str(n))


def merge(entity: str, into: str) -> MergeEntities:
    return MergeEntities(tenant="t", event_id=f"{entity}>{into}", entity=entity, into=into, at=AT)


def split(entity: str, new: str, *evidence: UUID, mention: str = "") -> SplitEntity:
    return SplitEntity(
        tenant="t", event_id="s", entity=entity, new_entity=new, evidence=evidence, mention=mention
    )


def alias(text: str, entity: str, kind: str = "person") -> AliasSet:
    return AliasSet(tenant="t", event_id="a", alias=text, alias_type=kind, entity=entity)


@pytest.fixture
def view() -> MemoryIdentity:
    return MemoryIdentity()


def test_merge_follows_forwards_of_the_target(view: MemoryIdentity) -> None:
    view.set_forward("person:b", "person:c")
    move = check_merge(merge("person:a", "person:b"), view)
    assert (move.entity, move.to, move.forward) == ("person:a", "person:c", True)


@pytest.mark.parametrize(
    ("entity", "into", "says"),
    [
        ("person:a", "person:a", "into itself"),
        ("person:b", "person:c", "already; nothing to do"),
        ("person:c", "person:b", "close a circle"),
        ("person:b", "person:d", "merge person:c into person:d"),
        ("person:a", "country:oman", "cannot be one"),
        ("unresolved:robin", "person:a", "use 'assign'"),
        ("person:a", "ana", "type:name"),
    ],
)
def test_merges_refused(view: MemoryIdentity, entity: str, into: str, says: str) -> None:
    view.set_forward("person:b", "person:c")
    with pytest.raises(InvalidCommand, match=says):
        check_merge(merge(entity, into), view)


def test_an_account_may_be_a_person(view: MemoryIdentity) -> None:
    assert check_merge(merge("person:dana-reyes", "user:u1"), view).to == "user:u1"


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=60))
def test_no_merges_ever_make_a_circle_or_a_long_chain(pairs: list[tuple[int, int]]) -> None:
    view = MemoryIdentity()
    for a, b in pairs:
        try:
            move = check_merge(merge(f"person:{a}", f"person:{b}"), view)
        except InvalidCommand:
            continue
        view.set_forward(move.entity, move.to)
    for n in range(12):
        hops, at = 0, f"person:{n}"
        while (onward := view.forward(at)) is not None:
            hops, at = hops + 1, onward
            assert hops <= MAX_HOPS
        assert follow(view, f"person:{n}") == at


def test_a_chain_of_eight_and_no_more(view: MemoryIdentity) -> None:
    for n in range(MAX_HOPS):
        move = check_merge(merge(f"person:{n}", f"person:{n + 1}"), view)
        view.set_forward(move.entity, move.to)
    assert follow(view, "person:0") == f"person:{MAX_HOPS}"
    with pytest.raises(InvalidCommand, match="at most 8 are followed; merge person:x into"):
        check_merge(merge(f"person:{MAX_HOPS}", "person:x"), view)
    assert check_merge(merge("person:x", f"person:{MAX_HOPS}"), view).to == f"person:{MAX_HOPS}"


HELD = {
    ident(1): Evidence("Robin", "person:robin-stone"),
    ident(2): Evidence("Robin Reed", "person:robin-reed"),
    ident(3): Evidence("robin reed", "person:robin-reed"),
}


def record_of(command: SplitEntity, view: MemoryIdentity) -> Moved:
    return moved(command, "split", check_split(command, view), received_at=AT, versions=Versions())


def test_split_by_ids_and_by_mention(view: MemoryIdentity) -> None:
    by_id = record_of(split("person:robin-stone", "person:new", ident(2)), view)
    assert choose(by_id, HELD) == {ident(2)}
    by_name = record_of(split("person:robin-stone", "person:new", mention="Robin  Reed"), view)
    assert choose(by_name, HELD) == {ident(2), ident(3)}
    assert not by_name.forward and not by_name.restores


def test_a_split_undoes_a_merge(view: MemoryIdentity) -> None:
    view.set_forward("person:robin-reed", "person:robin-stone")
    record = record_of(split("person:robin-stone", "person:robin-reed"), view)
    assert record.restores and choose(record, HELD) == {ident(2), ident(3)}


def test_a_split_takes_back_what_came_by_way_of_the_merged_entity(view: MemoryIdentity) -> None:
    view.set_forward("person:robin-reed", "person:robin")
    view.set_forward("person:robin", "person:robin-stone")
    record = record_of(split("person:robin-stone", "person:robin"), view)
    assert record.resolved_as == ("person:robin", "person:robin-reed")
    assert choose(record, HELD) == {ident(2), ident(3)}


def test_a_merge_in_the_middle_of_a_chain_is_undone_link_by_link(view: MemoryIdentity) -> None:
    view.set_forward("person:a", "person:b")
    view.set_forward("person:b", "person:robin-stone")
    with pytest.raises(InvalidCommand, match="split person:b off first, then person:a"):
        check_split(split("person:robin-stone", "person:a"), view)
    assert check_split(split("person:robin-stone", "person:b"), view).unforward


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (split("person:robin-stone", "person:new", ident(9)), "explain person:robin-stone"),
        (split("person:robin-stone", "person:new", mention="Kim"), "it is named: Robin, Robin Reed"),
        (split("person:robin-stone", "person:new"), "names nothing to move"),
        (split("person:robin-stone", "person:new", *HELD), "that is all"),
        (split("person:robin-stone", "person:robin-stone", ident(1)), "from itself"),
        (split("person:robin-stone", "org:new", ident(1)), "cannot be one"),
        (split("person:gone", "person:new", ident(1)), "split person:here"),
        (split("person:robin-stone", "person:gone", ident(1)), "to person:here"),
    ],
)
def test_splits_refused(view: MemoryIdentity, command: SplitEntity, says: str) -> None:
    view.set_forward("person:gone", "person:here")
    with pytest.raises(InvalidCommand, match=says):
        choose(record_of(command, view), HELD)


def test_alias_becomes_a_row_of_where_the_entity_is_now(view: MemoryIdentity) -> None:
    view.set_forward("person:katarina-voss", "person:k")
    row = check_alias(alias("Kat Voss", "person:katarina-voss"), view)
    assert row == Known("person:k", Name("Kat Voss", "person"), "stated")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (alias("Robin Stone", "person:k"), "merge person:robin-stone into person:k"),
        (alias("Rob", "person:k"), "set for person:robin-stone already"),
        (alias("Oman", "country:oman", "person"), "set alias_type to country"),
        (alias("Rob", "unresolved:robin"), "first 'assign' it"),
        (alias("  ", "person:k"), "no letter"),
    ],
)
def test_aliases_refused(view: MemoryIdentity, command: AliasSet, says: str) -> None:
    view.add_name(Known("person:robin-stone", Name("Robin Stone", "person"), "claimed"))
    view.add_name(Known("person:robin-stone", Name("Rob", "person"), "stated"))
    with pytest.raises(InvalidCommand, match=says):
        check_alias(command, view)


def test_assign(view: MemoryIdentity) -> None:
    def assign(unresolved: str, entity: str, *evidence: UUID) -> AssignUnresolved:
        return AssignUnresolved(
            tenant="t", event_id="x", unresolved=unresolved, entity=entity, evidence=evidence
        )

    view.set_forward("person:a", "person:b")
    assert check_assign(assign("unresolved:robin", "person:a"), view).to == "person:b"
    for wrong, says in (
        (assign("person:robin", "person:a"), "takes a key like"),
        (assign("unresolved:robin", "unresolved:x"), "unresolved itself"),
        (assign("unresolved:robin", "robin"), "type:name"),
    ):
        with pytest.raises(InvalidCommand, match=says):
            check_assign(wrong, view)
    waiting = {ident(2): Evidence("Robin", "unresolved:robin")}
    for command, held, says in (
        (assign("unresolved:robin", "person:a", ident(1)), waiting, "no live evidence"),
        (assign("unresolved:robin", "person:a"), {}, "nothing waits"),
    ):
        record = moved(command, "assign", check_assign(command, view), received_at=AT, versions=Versions())
        with pytest.raises(InvalidCommand, match=says):
            choose(record, held)


def proposal(n: int, entity: str = "person:a") -> Proposal:
    value = TypedValue(type="text", text="x", key="text:x")
    return Proposal(
        tenant="t",
        entity=entity,
        id=ident(n),
        source="s",
        event_id=f"e{n}",
        ordinal=0,
        agent="ag",
        origins=(f"s:e{n}",),
        event_time=AT.replace(minute=59 - n),
        received_at=AT,
        content=ProposalContent(
            mention=Mention(text="A", type="person"),
            label="likes",
            candidates=(Candidate(predicate="likes", match="exact", score=1.0, value=value),),
            text="x",
        ),
    )


def test_adopted_evidence_keeps_its_origin_and_gets_an_id_of_its_own() -> None:
    move = check_merge(merge("person:a", "person:b"), MemoryIdentity())
    record = moved(merge("person:a", "person:b"), "merge", move, received_at=AT, versions=Versions(policy=3))
    assert (record.entity, record.to, record.forward, record.event_time) == ("person:a", "person:b", True, AT)
    first = adopted(record, [proposal(1), proposal(2)])
    assert first == adopted(record, [proposal(2), proposal(1)])
    assert [row.proposal.id for row in first] == [ident(2), ident(1)], "in the order of evidence"
    here = proposal_at(first[0])
    assert (here.entity, here.event_id, here.event_time) == ("person:b", "e2", proposal(2).event_time)
    assert here.id == first[0].id != ident(2)
    back = moved(merge("person:b", "person:c"), "merge", move, received_at=AT, versions=Versions())
    assert adopted(back, [proposal(2)])[0].id != first[0].id
    assert Adopt.from_json(first[0].to_json()) == first[0]
    assert Moved.from_json(record.to_json()) == record
    assert (here.resolved_as, here.adopted and here.adopted.original) == ("person:a", ident(2))


def test_a_forwarded_statement_keeps_its_original_and_ends_after_eight_hops() -> None:
    at = proposal(1)
    for hop in range(1, MAX_HOPS + 1):
        record = forwarded(at, f"person:b{hop}")
        assert record.id == forwarded(at, f"person:b{hop}").id != at.id, (
            "its decision must not meet the other"
        )
        at = proposal_at(record)
        assert at.adopted is not None
        assert (at.adopted.original, at.adopted.hops, at.resolved_as) == (ident(1), hop, "person:a")
    with pytest.raises(PoisonError, match="forwarded 8 times"):
        forwarded(at, "person:on")
