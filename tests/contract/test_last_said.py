"""What a conversation said last, on both stores of the ledger."""

from __future__ import annotations

from sinks.identity_ports import Conversation, IdentityChanges, Said
from sinks.ports import Ledger
from tests.contract.ledger_world import LOG, ledger

__all__ = ["ledger"]

HERE = Conversation("t", "s", "c1")
THERE = Conversation("t", "s", "c2")
#: The same conversation as another producer and another tenant name theirs.
OTHERS = [Conversation("t", "s2", "c1"), Conversation("t2", "s", "c1")]


async def write(ledger: Ledger, said: dict[Conversation, Said]) -> None:
    async with ledger.transaction(LOG) as tx:
        await tx.identity.write("t", IdentityChanges(said=said))


async def test_the_last_one_counts_and_each_conversation_for_itself(ledger: Ledger) -> None:
    await write(ledger, {HERE: Said("e1", 2), THERE: Said("e2", 1)})
    await write(ledger, {HERE: Said("e3", 0)})
    async with ledger.snapshot() as reads:
        found = await reads.identity.last_said([HERE, THERE, HERE, *OTHERS])
        assert await reads.identity.last_said([]) == {}
    assert found == {HERE: Said("e3", 0), THERE: Said("e2", 1)}


async def test_it_is_kept_only_with_its_batch(ledger: Ledger) -> None:
    await write(ledger, {HERE: Said("e1", 2)})
    try:
        async with ledger.transaction(LOG) as tx:
            await tx.identity.write("t", IdentityChanges(said={HERE: Said("e2", 1)}))
            assert await tx.identity.last_said([HERE]) == {HERE: Said("e2", 1)}
            raise KeyError("crash")
    except KeyError:
        pass
    async with ledger.snapshot() as reads:
        assert await reads.identity.last_said([HERE]) == {HERE: Said("e1", 2)}
