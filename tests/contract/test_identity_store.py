"""What every store of the id map must do. One suite for all of them."""

from __future__ import annotations

from uuid import uuid5

from processors.identity import Known, Lookup, Name, Suggestion
from processors.identity.model import Context
from processors.identity.names import keys_of, parse
from processors.identity.resolve import lookup_of, resolve_mention
from schemas.facts import Mention
from schemas.ids import NAMESPACE
from sinks.identity_ports import MAX_NEARBY, Conversation, IdentityChanges
from sinks.ports import Ledger
from tests.contract.ledger_world import LOG, ledger

__all__ = ["ledger"]

COMMAND = uuid5(NAMESPACE, "command")
PLACE = Conversation("t", "s", "c1")


def row(entity: str, name: str, origin: str = "claimed", type_: str = "person") -> Known:
    return Known(entity, Name(name, type_), origin)  # type: ignore[arg-type]


def under(name: str, type_: str = "person") -> Lookup:
    return lookup_of(Mention(text=name, type=type_), Context())


async def write(ledger: Ledger, changes: IdentityChanges, tenant: str = "t") -> None:
    async with ledger.transaction(LOG) as tx:
        await tx.identity.lock(tenant)
        await tx.identity.write(tenant, changes)


async def test_a_name_is_found_under_each_of_its_keys(ledger: Ledger) -> None:
    await write(ledger, IdentityChanges(names=[row("person:jose-ruiz", "Dr. José Ruiz")]))
    for said in ("Jose Ruiz", "Ruiz", "José", "RUIZ, JOSÉ"):
        async with ledger.snapshot() as reads:
            view = await reads.identity.view("t", [under(said)])
        found = {one.entity for key in under(said).keys for one in view.named("person", key)}
        assert found == {"person:jose-ruiz"}, said


async def test_a_tenant_never_sees_another_ones_names(ledger: Ledger) -> None:
    changes = IdentityChanges(
        names=[row("person:ana", "Ana Ruiz")],
        identifiers=[("crm:1", "person:ana")],
        forwards=[("person:a", "person:ana", COMMAND)],
        suspects={("person:ana", "person:anna"): Suggestion("person:anna", "other_spelling", 0.95)},
    )
    await write(ledger, changes, "other")
    lookup = Lookup("person", under("Ana Ruiz").keys, ("crm:1",), ("person:ana", "person:a"))
    async with ledger.snapshot() as reads:
        mine = await reads.identity.view("t", [lookup])
        theirs = await reads.identity.view("other", [lookup])
    assert (mine.names_of("person:ana"), mine.identifier("crm:1"), mine.forward("person:a")) == (
        [],
        None,
        None,
    )
    assert not mine.suspects
    assert [one.name.text for one in theirs.names_of("person:ana")] == ["Ana Ruiz"]
    assert (theirs.identifier("crm:1"), theirs.forward("person:a")) == ("person:ana", "person:ana")
    assert list(theirs.suspects) == [("person:ana", "person:anna")]


async def test_identifiers_bring_all_that_is_known_of_their_entity(ledger: Ledger) -> None:
    changes = IdentityChanges(
        names=[row("person:ana", "Ana Ruiz"), row("person:ana", "Anita", "stated")],
        identifiers=[("email:ana@ruiz.example", "person:ana"), ("crm:1", "person:ana")],
    )
    await write(ledger, changes)
    async with ledger.snapshot() as reads:
        view = await reads.identity.view("t", [Lookup("person", (), ("crm:1",), ())])
    assert view.identifier("crm:1") == "person:ana"
    assert list(view.identifiers_of("person:ana")) == ["crm:1", "email:ana@ruiz.example"]
    assert {one.name.text: one.origin for one in view.names_of("person:ana")} == {
        "Ana Ruiz": "claimed",
        "Anita": "stated",
    }


async def test_the_first_entity_keeps_an_identifier_and_a_stated_name_stays_stated(ledger: Ledger) -> None:
    await write(
        ledger,
        IdentityChanges(names=[row("person:a", "Kat", "seen")], identifiers=[("crm:1", "person:a")]),
    )
    await write(
        ledger,
        IdentityChanges(
            names=[row("person:a", "Kat", "stated"), row("person:a", "Kat", "seen")],
            identifiers=[("crm:1", "person:b")],
        ),
    )
    await write(ledger, IdentityChanges(names=[row("person:a", "Kat", "seen")]))
    async with ledger.snapshot() as reads:
        view = await reads.identity.view("t", [Lookup("person", (), ("crm:1",), ("person:a", "person:b"))])
    assert view.identifier("crm:1") == "person:a"
    assert [one.origin for one in view.names_of("person:a")] == ["stated"]


async def test_forwards_come_in_both_directions_however_far(ledger: Ledger) -> None:
    chain = [(f"person:{n}", f"person:{n + 1}", COMMAND) for n in range(8)]
    names = [row(f"person:{n}", f"Name{n} Chain{n}") for n in range(9)]
    await write(ledger, IdentityChanges(names=names, forwards=[*chain]))
    async with ledger.snapshot() as reads:
        for n in range(9):
            view = await reads.identity.view("t", [under(f"Name{n} Chain{n}")])
            found = resolve_mention(Mention(text=f"Name{n} Chain{n}", type="person"), Context(), view)
            assert found.entity == "person:8", n
            assert len(view.names_of("person:8")) == 9
    await write(ledger, IdentityChanges(forwards=[("person:3", None, COMMAND)]))
    async with ledger.snapshot() as reads:
        view = await reads.identity.view("t", [Lookup("", (), (), ("person:0",))])
    assert (view.forward("person:2"), view.forward("person:3")) == ("person:3", None)


async def test_a_name_that_moves_leaves_nothing_behind(ledger: Ledger) -> None:
    held = row("person:robin-stone", "Robin Reed", "seen")
    await write(ledger, IdentityChanges(names=[row("person:robin-stone", "Robin Stone"), held]))
    await write(ledger, IdentityChanges(moved=[(held, "person:robin-reed")]))
    async with ledger.snapshot() as reads:
        view = await reads.identity.view("t", [under("Robin Reed")])
    (key,) = [key for key in keys_of(parse(held.name)) if key == "=robin-reed"]
    assert [one.entity for one in view.named("person", key)] == ["person:robin-reed"]
    assert [one.name.text for one in view.names_of("person:robin-stone")] in ([], ["Robin Stone"])


async def test_long_names_and_names_of_any_script(ledger: Ledger) -> None:
    names = ["x" * 512, "Юлия Петрова", "東京", "𝔄na\x1fRuiz", "a" * 511 + "é"]
    rows = [row(f"thing:{n}", name, type_="thing") for n, name in enumerate(names)]
    await write(ledger, IdentityChanges(names=rows))
    async with ledger.snapshot() as reads:
        for n, name in enumerate(names):
            view = await reads.identity.view("t", [under(name, "thing")])
            assert [one.name.text for one in view.names_of(f"thing:{n}")] == [name]


async def test_a_conversation_remembers_the_last_that_it_named(ledger: Ledger) -> None:
    many = [f"person:{n}" for n in range(MAX_NEARBY + 5)]
    await write(ledger, IdentityChanges(named={PLACE: many[:10]}))
    await write(ledger, IdentityChanges(named={PLACE: [*many[5:], many[-1]]}))
    async with ledger.snapshot() as reads:
        found = await reads.identity.nearby([PLACE, Conversation("t", "s2", "c1")])
    assert set(found) == {PLACE}
    assert found[PLACE] == frozenset(many[5:])


async def test_an_error_in_the_transaction_leaves_no_name(ledger: Ledger) -> None:
    try:
        async with ledger.transaction(LOG) as tx:
            await tx.identity.write("t", IdentityChanges(names=[row("person:ana", "Ana Ruiz")]))
            seen = await tx.identity.view("t", [under("Ana Ruiz")])
            assert seen.names_of("person:ana"), "a transaction sees its own writes"
            raise RuntimeError
    except RuntimeError:
        pass
    async with ledger.snapshot() as reads:
        assert not (await reads.identity.view("t", [under("Ana Ruiz")])).names_of("person:ana")
