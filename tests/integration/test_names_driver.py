"""Which entity a mention means, through the real stages and without a broker, on both ledgers."""

from __future__ import annotations

import pytest

from schemas.facts import Mention
from schemas.identity import AliasSet
from tests.contract.identity_world import Line, fact, line, person
from tests.contract.ledger_world import opened

A, B = "person:ana-ruiz", "person:nita-vega"
B_NAME = "Nita Vega"


__all__ = ["line"]


async def test_one_name_of_one_type_is_one_entity(line: Line) -> None:
    line.record(fact("Ana Ruiz", "employer", "Acme"), agent="x")
    line.record(fact("Dr. Ana Ruiz", "timezone", "EST"), agent="y")
    line.record(fact(Mention(text="Ana Ruiz", type="org"), "industry", "bread"), agent="y")
    await line.run()
    assert await line.values(A, "employer") == ["Acme"]
    assert await line.values(A, "timezone") == ["EST"]
    assert await line.entities() == {A, "org:ana-ruiz"}


@pytest.mark.postgres
async def test_two_workers_make_one_entity_of_one_new_name(request: pytest.FixtureRequest) -> None:
    """Other conversations are other partitions: each batch is a transaction of its own."""
    async with opened("postgres", request) as ledger:
        line = Line(ledger, batch=1)
        for n in range(6):
            line.record(fact("Ana Ruiz", "likes", f"thing {n}"), agent=f"a{n}")
        await line.run()
        assert await line.entities() == {A}
        assert len(await line.claims(A)) == 6


async def test_a_shared_first_name_waits_for_assign(line: Line) -> None:
    line.turn("Robin Stone leads research.")
    line.turn("Robin Marsh plays the harp.")
    line.turn("Robin likes olives.")
    await line.run()
    assert await line.values("unresolved:robin", "likes", "candidate") == ["olives"]
    (review,) = line.reviews("unresolved")
    assert review.entity == "unresolved:robin"
    assert "person:robin-marsh or person:robin-stone" in review.content.text
    assert await line.values("person:robin-stone", "likes") == []

    await line.assign("unresolved:robin", "person:robin-marsh")
    assert await line.values("person:robin-marsh", "likes") == ["olives"]
    (left,) = await line.claims("unresolved:robin", None)
    assert (left.status, left.reason) == ("superseded", "moved")
    (evidence,) = [row for row in await line.evidence("person:robin-marsh") if row.label == "likes"]
    assert evidence.mention == "Robin"


async def test_what_waits_is_never_believed_however_often_it_is_said(line: Line) -> None:
    line.record(fact("Robin Stone", "likes", "tea"), fact("Robin Marsh", "likes", "tea"))
    await line.run()
    for agent in ("x", "y", "z"):
        line.record(fact("Robin", "employer", "Acme"), agent=agent)
    await line.run()
    assert await line.values("unresolved:robin", "employer") == []
    assert await line.values("unresolved:robin", "employer", "candidate") == ["Acme"]
    assert len(line.reviews("unresolved")) == 1, "one question for one claim"
    await line.assign("unresolved:robin", "person:robin-stone")
    claims = await line.claims("person:robin-stone")
    (claim,) = [row for row in claims if row.cell.slot.predicate == "employer"]
    found = await line.rows("person:robin-stone")
    assert found is not None
    assert {row.agent for row in found.supports if row.claim_id == claim.id} == {"x", "y", "z"}


async def test_a_stated_alias_takes_effect_at_once(line: Line) -> None:
    line.turn("Katarina Lind signed the contract.")
    line.turn("Kat Lind is short for Katarina Lind.")
    line.turn("Kat Lind paid the invoice.", conversation="elsewhere")
    await line.run()
    found = {row.cell.slot.predicate for row in await line.claims("person:katarina-lind")}
    assert {"signed", "paid"} <= found
    assert "person:kat-lind" not in await line.entities()


async def test_an_alias_of_two_that_exist_is_for_a_person_to_decide(line: Line) -> None:
    line.turn("Kat Lind signed the contract.")
    line.turn("Katarina Lind paid the invoice.")
    line.turn("Kat Lind is short for Katarina Lind.")
    await line.run()
    assert {"person:kat-lind", "person:katarina-lind"} <= await line.entities()
    (review,) = line.reviews("alias_not_taken")
    assert "merge person:kat-lind into person:katarina-lind" in review.content.text


async def test_an_alias_can_be_set(line: Line) -> None:
    line.record(fact("Ana Ruiz", "likes", "tea"))
    line.command(AliasSet(tenant="t", event_id="a", alias="Nita R", alias_type="person", entity=A))
    await line.run()
    line.record(fact("Nita R", "likes", "rye"))
    await line.run()
    assert await line.values(A, "likes") == ["tea", "rye"]


async def test_an_email_joins_two_mentions(line: Line) -> None:
    mail = fact("Ana Ruiz", "email", "ana@ruiz.example")
    line.record(mail, fact("Ana Ruiz", "employer", "Acme"), agent="crm", version=1)
    await line.run()
    again = person("A. Ruiz")
    line.record(
        fact(again, "email", "ana@ruiz.example"), fact(again, "timezone", "EST"), agent="hr", version=1
    )
    await line.run()
    assert await line.values(A, "timezone") == ["EST"]
    assert await line.entities() == {A}


async def test_an_email_that_an_agent_read_somewhere_joins_nothing(line: Line) -> None:
    line.record(fact("Ana Ruiz", "email", "desk@ruiz.example"), agent="reader")
    line.record(fact("Bo Lind", "email", "desk@ruiz.example"), agent="reader")
    await line.run()
    assert await line.entities() == {A, "person:bo-lind"}


async def test_relations_meet_on_the_side_that_has_one(line: Line) -> None:
    line.turn("Jordan owns the renewal.", agent="x")
    line.turn("Sam owns the renewal.", agent="y", conversation="c2")
    await line.run()
    assert await line.values("renewal:renewal", "owner") == ["Sam"]
    assert await line.values("renewal:renewal", "owner", "superseded") == ["Jordan"]


async def test_a_guest_who_says_a_name_is_that_person(line: Line) -> None:
    line.turn("Hi, I'm a visitor named Ines. I keep goats.", speaker="guest:7f")
    line.turn("I like rain.", speaker="guest:7f")
    line.turn("I like snow.", speaker="guest:8a", conversation="c2")
    await line.run()
    assert await line.values("person:ines", "keeps") == ["goats"]
    assert await line.values("person:ines", "likes") == ["rain"]
    assert await line.values("guest:8a", "likes") == ["snow"], "another guest is another one"
    assert "user:u1" not in await line.entities() and "guest:7f" not in await line.entities()


async def test_an_account_stays_an_account_whatever_name_it_gives(line: Line) -> None:
    line.turn("My name is Ines. I like rain.")
    await line.run()
    assert await line.values("user:u1", "likes") == ["rain"]


async def test_resolved_once_is_resolved_for_good(line: Line) -> None:
    """The facts come again after more is known: what was stored is what counts."""
    line.turn("Robin Stone leads research.")
    line.turn("Robin likes olives.")
    await line.run()
    line.turn("Robin Marsh plays the harp.")
    await line.run()
    proposals = len(line.log.records("inbox"))
    line.again(line.log.records("facts"))
    await line.run()
    assert len(line.log.records("inbox")) == proposals
    assert await line.values("person:robin-stone", "likes") == ["olives"]
