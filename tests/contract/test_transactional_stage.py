"""The never-lose path, on both ledgers: whatever fails between two statements, each record counts once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from schemas.errors import IntegrityError, PoisonError, TransientError, UnreadableRecord
from sinks.ports import Extraction, Ledger, LogKey, Transaction
from streams.kafka_log import LogIdentity
from streams.stage import InRecord, OutRecord, Stage
from streams.transactional import Applied, DeadLetter, Handler, TransactionalStage
from tests.contract.ledger_world import LOG, ledger, record
from tests.contract.test_ledger import key

__all__ = ["ledger"]
DEAD = "memory.deadletters.v1"


class Echo:
    """Stores each record (a second time is refused by its key) and sends it on; the values say what goes wrong."""

    def __init__(self) -> None:
        self.prepared: list[int] = []
        self.fail: list[Exception] = []

    async def prepare(self, records: Sequence[InRecord]) -> list[Any]:
        self.prepared += [row.offset for row in records]
        return [
            DeadLetter(UnreadableRecord("not JSON"), tenant="t", event=key(1))
            if row.value == b"bad"
            else row.value
            for row in records
        ]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, bytes]]) -> Applied:
        await tx.add_extractions(
            [
                Extraction(key(row.offset), "t", "s", str(row.offset), b"", "facts", 1, value)
                for row, value in items
            ]
        )
        if any(value == b"poison" for _, value in items):
            raise PoisonError("found out late")
        if self.fail:
            raise self.fail.pop()
        dead = [(row, DeadLetter(PoisonError("half"), item=1)) for row, value in items if value == b"half"]
        return Applied([(row, OutRecord("out", b"k", b"%d" % row.offset)) for row, _ in items], dead)


class Broker:
    """A publisher that can fail, and a log with a gap in it."""

    def __init__(self) -> None:
        self.sent: list[OutRecord] = []
        self.fail = 0
        self.records: dict[int, InRecord] = {}
        self.start, self.end = 0, 1000
        self.gaps: list[tuple[int, int]] = []
        self.cluster = LogIdentity("c1", 4)

    async def publish(self, records: Sequence[OutRecord]) -> None:
        if self.fail:
            self.fail -= 1
            raise TransientError("no broker")
        self.sent += records

    async def identity(self, topic: str) -> LogIdentity:
        return self.cluster

    async def first_offset(self, topic: str, partition: int) -> int:
        return self.start

    async def read(self, topic: str, partition: int, offset: int) -> InRecord | None:
        return self.records.get(offset, record(offset)) if offset < self.end else None

    async def has_records(self, topic: str, partition: int, first: int, end: int) -> bool:
        self.gaps.append((first, end))
        return any(first <= offset < end for offset in self.records)

    def values(self, topic: str = "out") -> list[bytes]:
        return [row.value for row in self.sent if row.topic == topic]


def stage(ledger: Ledger, broker: Broker, handler: Handler | None = None, **other: Any) -> TransactionalStage:
    return TransactionalStage(
        LOG.stage,
        LOG.topic,
        handler or Echo(),
        ledger,
        broker,
        dead_letter_topic=DEAD,
        source=broker,
        **other,
    )


def batch(*offsets: int) -> list[InRecord]:
    return [record(offset) for offset in offsets]


async def stored(ledger: Ledger, n: int = 30) -> list[int]:
    async with ledger.snapshot() as reads:
        return sorted(
            int(row.event_id) for row in (await reads.extractions([key(at) for at in range(n)])).values()
        )


async def test_it_is_a_stage(ledger: Ledger) -> None:
    assert isinstance(stage(ledger, Broker()), Stage)


async def test_each_record_has_one_effect_and_is_published_in_order(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(ledger, broker)
    await one.start()
    await one.process(batch(0, 1, 2))
    await one.process(batch(3))
    assert broker.values() == [b"0", b"1", b"2", b"3"]
    assert await stored(ledger) == [0, 1, 2, 3]
    assert await ledger.unpublished(LOG, 10) == []


async def test_what_was_done_here_is_not_even_prepared_again(ledger: Ledger) -> None:
    broker, echo = Broker(), Echo()
    one = stage(ledger, broker, echo)
    await one.process(batch(0, 1))
    await one.process(batch(0, 1))
    await one.process(batch(1, 2))
    assert echo.prepared == [0, 1, 2]
    assert broker.values() == [b"0", b"1", b"2"]


async def test_a_batch_that_fails_leaves_nothing_and_can_come_again(ledger: Ledger) -> None:
    broker, echo = Broker(), Echo()
    echo.fail = [TransientError("deadlock")]
    one = stage(ledger, broker, echo)
    with pytest.raises(TransientError):
        await one.process(batch(0, 1))
    assert (await stored(ledger), broker.sent) == ([], [])
    await one.process(batch(0, 1))
    assert (await stored(ledger), broker.values()) == ([0, 1], [b"0", b"1"])


async def test_another_error_goes_through(ledger: Ledger) -> None:
    echo = Echo()
    echo.fail = [ZeroDivisionError()]
    with pytest.raises(ZeroDivisionError):
        await stage(ledger, Broker(), echo).process(batch(0))
    assert await stored(ledger) == []


async def test_committed_but_not_published_is_published_by_the_next_try(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(ledger, broker)
    broker.fail = 1
    with pytest.raises(TransientError):
        await one.process(batch(0, 1))
    assert await stored(ledger) == [0, 1]
    await one.process(batch(0, 1))
    assert broker.values() == [b"0", b"1"]
    assert await ledger.unpublished(LOG, 10) == []


async def test_a_new_owner_first_publishes_what_the_former_one_left_once(ledger: Ledger) -> None:
    broker = Broker()
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(batch(0, 1))
    new = stage(ledger, broker)
    await new.process(batch(0, 1, 2))
    await new.process(batch(3))
    await stage(ledger, broker).process(batch(4))
    assert broker.values() == [b"0", b"1", b"2", b"3", b"4"]
    assert await stored(ledger) == [0, 1, 2, 3, 4]


async def test_an_owner_that_comes_back_publishes_what_the_one_between_left(ledger: Ledger) -> None:
    broker = Broker()
    first = stage(ledger, broker)
    await first.process(batch(0))
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(batch(1))
    await first.process(batch(1))
    assert broker.values() == [b"0", b"1"]
    broker.fail = 1
    with pytest.raises(TransientError):
        await stage(ledger, broker).process(batch(2))
    await first.process(batch(2, 3))
    assert broker.values() == [b"0", b"1", b"2", b"3"]


async def test_a_batch_is_trimmed_to_what_is_not_done(ledger: Ledger) -> None:
    broker, late = Broker(), Echo()
    slow = stage(ledger, broker, late)
    await slow.process(batch(0))
    await stage(ledger, broker).process(batch(1, 2))
    await slow.process(batch(1, 2, 3))  # it does not know that 1 and 2 are done
    assert late.prepared == [0, 1, 2, 3]
    assert await stored(ledger) == [0, 1, 2, 3]
    assert broker.values() == [b"0", b"1", b"2", b"3"]


class LostAnswer:
    """A ledger whose next commit goes through, but its answer is lost."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.lose = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    @asynccontextmanager
    async def transaction(self, *logs: LogKey) -> AsyncIterator[Transaction]:
        async with self._ledger.transaction(*logs) as tx:
            yield tx
        if self.lose:
            self.lose -= 1
            raise TransientError("connection lost while committing")


async def test_a_commit_whose_answer_was_lost_counts_once(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(LostAnswer(ledger), broker)  # type: ignore[arg-type]
    with pytest.raises(TransientError):
        await one.process(batch(0, 1))
    await one.process(batch(0, 1))
    assert broker.values() == [b"0", b"1"]
    assert await stored(ledger) == [0, 1]


async def test_a_gap_with_a_record_in_it_ends_the_process(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(ledger, broker)
    await one.process(batch(0, 1))
    broker.records = {3: record(3)}
    with pytest.raises(IntegrityError, match=r"gap: .*offset 2 .*given 5"):
        await one.process(batch(5))
    assert broker.gaps == [(2, 5)]
    assert await stored(ledger) == [0, 1]
    progress = await ledger.progress(LOG)
    assert progress is not None and progress.next_offset == 2


async def test_a_gap_without_records_is_passed(ledger: Ledger) -> None:
    broker = Broker()
    one = stage(ledger, broker)
    await one.process(batch(4))
    await one.process(batch(9))
    assert broker.gaps == [(0, 4), (5, 9)]
    assert await stored(ledger) == [4, 9]


async def test_a_dead_letter_keeps_its_bytes_and_says_where_it_came_from(ledger: Ledger) -> None:
    broker = Broker()
    bad = InRecord(LOG.topic, 0, 1, b"t\x1fe", b"bad", (("trace", b"x"), ("claimstream_attempts", b"2")), 5)
    await stage(ledger, broker).process([record(0), bad, record(2)])
    assert await stored(ledger) == [0, 2]
    (letter,) = [row for row in broker.sent if row.topic == DEAD]
    assert (letter.key, letter.value) == (b"t\x1fe", b"bad")
    assert dict(letter.headers) == {
        "trace": b"x",
        "claimstream_stage": b"adjudicate",
        "claimstream_origin_topic": LOG.topic.encode(),
        "claimstream_origin_partition": b"0",
        "claimstream_origin_offset": b"1",
        "claimstream_item": b"0",
        "claimstream_error_class": b"UnreadableRecord",
        "claimstream_error": b"not JSON",
        "claimstream_attempts": b"3",
    }


async def test_poison_found_while_applying_is_set_apart_and_its_neighbours_pass(ledger: Ledger) -> None:
    broker = Broker()
    records = [record(0), record(1, b"poison"), record(2)]
    await stage(ledger, broker).process(records)
    assert await stored(ledger) == [0, 2]
    assert broker.values() == [b"0", b"2"]
    assert broker.values(DEAD) == [b"poison"]


async def test_a_part_of_a_record_can_be_given_up(ledger: Ledger) -> None:
    broker = Broker()
    await stage(ledger, broker).process([record(0, b"half"), record(1)])
    assert await stored(ledger) == [0, 1]
    assert broker.values(DEAD) == [b"half"]


async def test_a_record_whose_output_is_too_large_becomes_a_dead_letter_before_the_commit(
    ledger: Ledger,
) -> None:
    broker = Broker()
    records = [record(9), record(10), record(100)]
    await stage(ledger, broker, limits={"out": 128 + 1 + 2}).process(records)
    assert broker.values() == [b"9", b"10"]
    assert [dict(row.headers)["claimstream_error_class"] for row in broker.sent if row.topic == DEAD] == [
        b"RecordTooLarge"
    ]


async def test_the_topic_of_another_cluster_is_refused_at_the_start(ledger: Ledger) -> None:
    broker = Broker()
    await stage(ledger, broker).start()
    broker.cluster = LogIdentity("c2", 4)
    with pytest.raises(IntegrityError, match="cluster"):
        await stage(ledger, broker).start()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"start": 5}, "retention"),
        ({"end": 1}, "no record at offset 1"),
        ({"records": {1: record(1, b"other")}}, "another record at offset 1"),
    ],
)
async def test_a_log_made_anew_is_refused_and_nothing_changes(
    ledger: Ledger, change: dict[str, Any], word: str
) -> None:
    broker = Broker()
    await stage(ledger, broker).process(batch(0, 1))
    before = await ledger.progress(LOG)
    for name, value in change.items():
        setattr(broker, name, value)
    with pytest.raises(IntegrityError, match=word):
        await stage(ledger, broker).process(batch(0))
    assert await ledger.progress(LOG) == before
    assert await stored(ledger) == [0, 1]
