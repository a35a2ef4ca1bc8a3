"""One transaction for a batch of several partitions: what belongs to a partition stays with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from schemas.errors import IntegrityError, TransientError
from sinks.ports import Ledger, LogKey, Progress
from streams.controls import Controls
from streams.stage import InRecord, OutRecord
from streams.stages.adjudicate import Adjudicate
from tests.contract.ledger_world import LOG, ledger, record
from tests.contract.test_ledger import key
from tests.contract.test_transactional_stage import DEAD, Broker, Echo, stage, stored
from tests.unit.deciding.world import World
from topics.partitioner import encode_key

__all__ = ["ledger"]
OTHER = LOG._replace(partition=1)
THIRD = LOG._replace(partition=2)


def mixed(*places: tuple[int, int]) -> list[InRecord]:
    """Records at (partition, offset)."""
    return [replace(record(offset), partition=partition) for partition, offset in places]


async def left(ledger: Ledger, log: LogKey) -> list[bytes]:
    return [row.value for row in await ledger.unpublished(log, 100)]


async def test_each_partition_has_its_own_progress_and_outbox(ledger: Ledger) -> None:
    broker = Broker()
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(mixed((0, 0), (1, 5), (0, 1), (1, 6)))
    assert await left(ledger, LOG) == [b"0", b"1"]
    assert await left(ledger, OTHER) == [b"5", b"6"]
    assert (await ledger.progress(LOG) or Progress()).next_offset == 2
    assert (await ledger.progress(OTHER) or Progress()).next_offset == 7


async def test_a_new_owner_of_one_partition_publishes_only_that_partitions_records(ledger: Ledger) -> None:
    broker = Broker()
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(mixed((0, 0), (1, 5)))
    await stage(ledger, broker).process(mixed((1, 6)))
    assert broker.values() == [b"5", b"6"]
    assert await left(ledger, LOG) == [b"0"]
    await stage(ledger, broker).process(mixed((0, 1), (1, 7)))
    assert broker.values() == [b"5", b"6", b"0", b"1", b"7"]


async def test_a_fence_lost_in_one_partition_trims_only_there(ledger: Ledger) -> None:
    broker = Broker()
    slow = stage(ledger, broker)
    await slow.process(mixed((0, 0), (1, 10)))
    await stage(ledger, broker).process(mixed((1, 11), (1, 12)))
    await slow.process(mixed((0, 1), (1, 11), (1, 12), (1, 13)))
    assert await stored(ledger) == [0, 1, 10, 11, 12, 13]
    assert sorted(broker.values(), key=int) == [b"0", b"1", b"10", b"11", b"12", b"13"]


async def test_what_another_owner_left_goes_out_before_what_follows_it(ledger: Ledger) -> None:
    broker = Broker()
    first = stage(ledger, broker)
    await first.process(mixed((0, 0), (1, 10)))
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(mixed((1, 11)))
    await first.process(mixed((0, 1), (1, 11), (1, 12)))
    assert [value for value in broker.values() if int(value) >= 10] == [b"10", b"11", b"12"]
    assert [value for value in broker.values() if int(value) < 10] == [b"0", b"1"]


async def test_a_gap_in_one_partition_stops_the_batch_before_anything_is_changed(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(ledger, broker)
    await one.process(mixed((0, 0), (1, 7)))
    broker.records = {12: record(12)}
    with pytest.raises(IntegrityError, match="gap"):
        await one.process(mixed((0, 1), (1, 20)))
    assert (await ledger.progress(LOG) or Progress()).next_offset == 1
    assert broker.values() == [b"0", b"7"]


async def test_poison_of_one_partition_leaves_the_others_whole(ledger: Ledger) -> None:
    broker = Broker()
    records = mixed((0, 0), (1, 10), (0, 1))
    records[1] = replace(records[1], value=b"poison")
    await stage(ledger, broker).process(records)
    assert await stored(ledger) == [0, 1]
    assert broker.values(DEAD) == [b"poison"]
    assert (await ledger.progress(OTHER) or Progress()).next_offset == 11


class Silent(Echo):
    """Sends nothing on."""

    async def apply(self, tx, items):  # type: ignore[no-untyped-def]
        applied = await super().apply(tx, items)
        applied.outgoing.clear()
        return applied


async def test_a_batch_that_sends_nothing_leaves_no_cursor_behind(ledger: Ledger) -> None:
    await stage(ledger, Broker(), Silent()).process(mixed((0, 0), (1, 4)))
    assert (await ledger.progress(OTHER) or Progress()).published_offset == 5


async def test_a_silent_batch_does_not_pass_over_what_waits_for_publication(ledger: Ledger) -> None:
    async with ledger.transaction(LOG) as tx:
        await tx.enqueue(LOG, 0, [OutRecord("out", b"k", b"0")])
        await tx.advance(LOG, Progress(1, 0, b"h"))
    broker = Broker()
    silent = stage(ledger, broker, Silent())
    silent._done[LOG] = 1  # it believes to be the owner already
    await silent.process(mixed((0, 1)))
    assert broker.values() == [b"0"]
    assert await left(ledger, LOG) == []


async def test_overlapping_sets_wait_for_each_other_and_do_not_deadlock(ledger: Ledger) -> None:
    async def often(*logs: LogKey) -> None:
        for _ in range(20):
            async with ledger.transaction(*logs) as tx:
                for log in logs:
                    before = tx.progress[log]
                    await asyncio.sleep(0)
                    await tx.advance(log, Progress(before.next_offset + 1, before.next_offset, b"h"))

    sets: Sequence[tuple[LogKey, ...]] = ((LOG, OTHER), (OTHER, LOG), (THIRD, LOG), (OTHER, THIRD))
    async with asyncio.timeout(60):
        await asyncio.gather(*(often(*logs) for logs in sets))
    for log, n in ((LOG, 60), (OTHER, 60), (THIRD, 40)):
        assert (await ledger.progress(log) or Progress()).next_offset == n


async def test_partitions_of_two_topics_do_not_go_together(ledger: Ledger) -> None:
    with pytest.raises(ValueError):
        async with ledger.transaction(LOG, LOG._replace(topic="another")):
            pass


async def test_a_partition_named_twice_is_locked_once(ledger: Ledger) -> None:
    async with asyncio.timeout(20), ledger.transaction(LOG, LOG) as tx:
        assert list(tx.progress) == [LOG]


async def test_what_adjudicate_tells_stays_with_the_partition_of_its_entity(ledger: Ledger) -> None:
    made, entities = World(), [f"user:u{n}" for n in range(4)]
    said = [
        made.proposal(agent, f"{place} {entity}", at).model_copy(update={"entity": entity})
        for at, (agent, place) in enumerate([("a", "Berlin"), ("b", "Paris")])
        for entity in entities
    ]
    # One that is decided alone, in the middle, cuts the batch into runs.
    said.insert(5, said[1].model_copy(update={"id": key(99), "act": "retract"}))
    records = [
        InRecord(LOG.topic, entities.index(row.entity), n, encode_key(row.tenant, row.entity), row.to_json())
        for n, row in enumerate(said)
    ]
    broker = Broker()
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker, Adjudicate(Controls(), "memory")).process(records)
    for partition, entity in enumerate(entities):
        rows = await ledger.unpublished(LOG._replace(partition=partition), 100)
        assert len(rows) >= 2
        assert {row.key for row in rows} == {encode_key("t", entity)}
