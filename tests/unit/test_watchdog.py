"""A lag that does not move is a fault; nothing to do, being away and trying again are none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from schemas.errors import TransientError
from streams import metrics
from streams.watchdog import Lag, Stalled, Watchdog


class Stage:
    """A stage `s` as the watchdog sees it, and a clock."""

    def __init__(self) -> None:
        self.lag = Lag(0, 0)
        self.away = False
        self.now = 0.0
        self.watchdog = Watchdog(["s"], self.measure, 60.0, clock=lambda: self.now)

    async def measure(self) -> Mapping[str, Lag]:
        if self.away:
            raise TransientError("no broker")
        return {"s": self.lag}

    async def at(self, now: float, done: int, written: int) -> None:
        self.now, self.lag = now, Lag(done, written)
        await self.watchdog.look()


async def test_a_lag_that_does_not_move_ends_the_process() -> None:
    stage = Stage()
    await stage.at(0, 5, 9)
    await stage.at(59, 5, 12)
    with pytest.raises(Stalled, match="s is at 5 of 14 records and did not move for 60 s"):
        await stage.at(60, 5, 14)


async def test_slow_is_not_stuck() -> None:
    stage = Stage()
    for minute in range(10):
        await stage.at(minute * 59, minute, 100)


async def test_nothing_to_do_is_not_stuck_and_the_time_counts_from_when_there_is() -> None:
    stage = Stage()
    await stage.at(0, 7, 7)
    await stage.at(1000, 7, 7)
    await stage.at(1001, 7, 8)
    await stage.at(1059, 7, 8)
    with pytest.raises(Stalled):
        await stage.at(1060, 7, 8)


async def test_what_is_away_is_waited_for() -> None:
    stage = Stage()
    await stage.at(0, 1, 9)
    stage.away = True
    await stage.at(100, 1, 9)
    stage.away = False
    await stage.at(101, 1, 9)
    await stage.at(160, 1, 9)
    with pytest.raises(Stalled):
        await stage.at(161, 1, 9)


async def test_a_stage_that_tries_again_says_so_itself() -> None:
    stage = Stage()
    await stage.at(0, 1, 9)
    metrics.RETRIED.labels("s").inc()
    await stage.at(61, 1, 9)
    await stage.at(120, 1, 9)
    with pytest.raises(Stalled):
        await stage.at(121, 1, 9)
