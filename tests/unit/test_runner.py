"""The ack rule: done means durable; transient is tried again in place; anything else acknowledges nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import TransientError
from streams import metrics
from streams.backoff import Backoff
from streams.runner import RecordsSkipped, RetriesExhausted, Runner, StrayCancellation, by_partition
from streams.stage import InRecord, Stage


def record(partition: int, offset: int) -> InRecord:
    return InRecord("memory.turns.v1", partition, offset, b"k", b"v")


class Recorder:
    """A stage that keeps what it processed; `fail` holds the exceptions of its next calls (None: success)."""

    input_topic = "memory.turns.v1"
    max_batch = 100

    def __init__(self, name: str = "recorder", fail: Sequence[Exception | None] = ()) -> None:
        self.name = name
        self.fail = list(fail)
        self.calls: list[list[tuple[int, int]]] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def process(self, partition_batch: Sequence[InRecord]) -> None:
        self.calls.append([(r.partition, r.offset) for r in partition_batch])
        error = self.fail.pop(0) if self.fail else None
        if error is not None:
            raise error


async def no_sleep(_seconds: float) -> None: ...


def test_the_recorder_is_a_stage() -> None:
    assert isinstance(Recorder(), Stage)


@given(st.lists(st.integers(0, 3), max_size=40))
def test_a_batch_comes_to_the_stage_as_a_whole_and_in_its_order(partitions: list[int]) -> None:
    batch = [record(p, i) for i, p in enumerate(partitions)]
    stage = Recorder()
    asyncio.run(Runner(stage).run(batch))
    assert stage.calls == ([[(r.partition, r.offset) for r in batch]] if batch else [])


async def test_a_transient_error_is_tried_again_with_the_same_records() -> None:
    stage = Recorder(fail=[TransientError("down"), TransientError("down"), None])
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    runner = Runner(
        stage, backoff=Backoff(base_s=1.0, cap_s=1.5, uniform=lambda _low, high: high), sleep=sleep
    )
    await runner.run([record(0, 5), record(0, 6)])
    assert stage.calls == [[(0, 5), (0, 6)]] * 3
    assert slept == [1.0, 1.5]


async def test_partitions_share_a_call_and_are_tried_again_together() -> None:
    stage = Recorder(fail=[TransientError("down"), None])
    await Runner(stage, sleep=no_sleep).run([record(0, 1), record(1, 1)])
    assert stage.calls == [[(0, 1), (1, 1)]] * 2


async def test_a_cancellation_from_inside_a_stage_is_an_error_and_not_an_end() -> None:
    stage = Recorder()

    async def process(batch: Sequence[InRecord]) -> None:
        cancelled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        cancelled.cancel()
        await cancelled

    stage.process = process  # type: ignore[method-assign]
    with pytest.raises(StrayCancellation):
        await Runner(stage).run([record(p, 1) for p in (0, 1, 2)])


async def test_a_cancellation_from_outside_ends_the_run() -> None:
    stage = Recorder()
    started = asyncio.Event()

    async def process(_batch: Sequence[InRecord]) -> None:
        started.set()
        await asyncio.Event().wait()

    stage.process = process  # type: ignore[method-assign]
    task = asyncio.create_task(Runner(stage).run([record(p, 1) for p in (0, 1)]))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_any_other_error_propagates_at_once() -> None:
    stage = Recorder(fail=[KeyError("bug")])
    with pytest.raises(KeyError):
        await Runner(stage, sleep=no_sleep).run([record(0, 1), record(1, 1)])
    assert stage.calls == [[(0, 1), (1, 1)]]


async def test_tries_can_be_bounded() -> None:
    stage = Recorder(fail=[TransientError("down")] * 9)
    with pytest.raises(RetriesExhausted, match="3 tries"):
        await Runner(stage, max_tries=3, sleep=no_sleep).run([record(0, 1)])
    assert len(stage.calls) == 3


@pytest.mark.parametrize("batches", [[[3], [5]], [[3, 5]]])
async def test_a_gap_with_records_in_it_is_refused_before_processing(batches: list[list[int]]) -> None:
    asked: list[tuple[str, int, int, int]] = []

    async def probe(topic: str, partition: int, first: int, end: int) -> bool:
        asked.append((topic, partition, first, end))
        return True

    stage = Recorder()
    runner = Runner(stage, gap_has_records=probe)
    with pytest.raises(RecordsSkipped, match="offset 4 to 5"):
        for offsets in batches:
            await runner.run([record(0, offset) for offset in offsets])
    assert asked == [("memory.turns.v1", 0, 4, 5)]
    assert all((0, 5) not in call for call in stage.calls)


async def test_an_empty_gap_and_a_revoked_partition_are_not() -> None:
    async def nothing_there(_topic: str, _partition: int, _first: int, _end: int) -> bool:
        return False

    stage = Recorder()
    runner = Runner(stage, gap_has_records=nothing_there)
    await runner.run([record(0, 3)])
    await runner.run([record(0, 9)])

    async def records_there(_topic: str, _partition: int, _first: int, _end: int) -> bool:
        return True

    runner = Runner(stage, gap_has_records=records_there)
    await runner.run([record(0, 3)])
    runner.forget()
    await runner.run([record(0, 9)])
    await runner.run([record(0, 7)])  # read again after a rebalance: never a gap
    assert stage.calls[-1] == [(0, 7)]


async def test_the_first_record_is_held_against_what_was_committed() -> None:
    async def records_there(_topic: str, _partition: int, first: int, _end: int) -> bool:
        return first < 8  # 8 and after were deleted by retention

    stage = Recorder()
    runner = Runner(stage, gap_has_records=records_there)
    assert not runner.knows("memory.turns.v1", 0)
    runner.expect("memory.turns.v1", 0, 7)
    assert runner.knows("memory.turns.v1", 0)
    with pytest.raises(RecordsSkipped, match="offset 7 to 9"):
        await runner.run([record(0, 9)])
    runner.expect("memory.turns.v1", 0, 8)
    await runner.run([record(0, 9)])
    assert stage.calls == [[(0, 9)]]


async def test_a_broker_away_while_looking_at_a_gap_is_waited_for() -> None:
    answers: list[bool | Exception] = [TransientError("down"), False]

    async def probe(_topic: str, _partition: int, _first: int, _end: int) -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    stage = Recorder()
    runner = Runner(stage, gap_has_records=probe, sleep=no_sleep)
    runner.expect("memory.turns.v1", 0, 1)
    await runner.run([record(0, 2)])
    assert stage.calls == [[(0, 2)]] and not answers


async def test_a_rebalance_in_mid_batch_acknowledges_nothing_and_leaves_no_expectation() -> None:
    async def records_there(_topic: str, _partition: int, _first: int, _end: int) -> bool:
        return True

    stage = Recorder()
    runner = Runner(stage, gap_has_records=records_there)

    async def process_and_lose_the_partitions(batch: Sequence[InRecord]) -> None:
        stage.calls.append([(r.partition, r.offset) for r in batch])
        runner.forget()
        await asyncio.sleep(0)

    stage.process = process_and_lose_the_partitions  # type: ignore[method-assign]
    assert not await runner.run([record(0, 3), record(1, 3), record(2, 3)])
    for partition in (0, 1, 2):
        assert not runner.knows("memory.turns.v1", partition), "another member may have moved it on"


async def test_what_a_rebalance_overtakes_before_it_was_begun_is_left_to_the_new_owner() -> None:
    async def forgets(_topic: str, _partition: int, _first: int, _end: int) -> bool:
        runner.forget()
        return False

    stage = Recorder()
    runner = Runner(stage, gap_has_records=forgets)
    runner.expect("memory.turns.v1", 0, 1)
    assert not await runner.run([record(0, 3), record(1, 3)])
    assert stage.calls == []


async def test_a_whole_batch_may_be_acknowledged() -> None:
    assert await Runner(Recorder()).run([record(0, 3), record(1, 3)])


async def test_deliveries_retries_and_acks_are_counted() -> None:
    stage = Recorder("counted", fail=[TransientError("down"), None])
    await Runner(stage, sleep=no_sleep).run([record(0, 1), record(0, 2)])
    assert metrics.RECEIVED.labels("counted")._value.get() == 2
    assert metrics.RETRIED.labels("counted")._value.get() == 1
    assert metrics.ACKED.labels("counted")._value.get() == 2


@given(st.integers(1, 10_000))
def test_backoff_stays_within_its_cap(tries: int) -> None:
    assert 0.0 <= Backoff(base_s=0.1, cap_s=10.0).delay_s(tries) <= 10.0


def test_backoff_doubles() -> None:
    exact = Backoff(base_s=0.1, cap_s=1.0, uniform=lambda _low, high: high)
    assert [exact.delay_s(n) for n in (1, 2, 3, 4, 5)] == [0.1, 0.2, 0.4, 0.8, 1.0]


def test_by_partition_keeps_topics_apart() -> None:
    other = InRecord("memory.control.v1", 0, 1, None, b"")
    assert by_partition([record(0, 1), other]) == {
        ("memory.turns.v1", 0): [record(0, 1)],
        ("memory.control.v1", 0): [other],
    }
