"""When a worker counts as well: it has its partitions, it was heard of lately, and it gets on."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from streams import heartbeat, metrics
from streams.heartbeat import Heartbeat, unwell

MAX_AGE_S = 30.0


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.01)


async def becomes(folder: Path, stage: str, part: str) -> None:
    deadline = time.monotonic() + 10
    while part not in (why := str(unwell(folder, stage, MAX_AGE_S))):
        assert time.monotonic() < deadline, why
        await heartbeat.asyncio.sleep(0.01)


async def test_from_starting_to_ready_to_gone(tmp_path: Path) -> None:
    async with Heartbeat(tmp_path, ["hb-a", "hb-b"]) as beat:
        assert "is starting" in str(unwell(tmp_path, "hb-a", MAX_AGE_S))
        beat.ready()
        assert unwell(tmp_path, "hb-a", MAX_AGE_S) is None
        assert unwell(tmp_path, "hb-b", MAX_AGE_S) is None
        assert "no worker writes" in str(unwell(tmp_path, "hb-c", MAX_AGE_S))
    assert "no worker writes" in str(unwell(tmp_path, "hb-a", MAX_AGE_S))
    assert list(tmp_path.iterdir()) == []


async def test_a_stage_that_only_retries_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 3600)
    async with Heartbeat(tmp_path, ["hb-stuck"]) as beat:
        beat.ready()
        metrics.RETRIED.labels("hb-stuck").inc()
        beat._write()
        assert "is retrying" in str(unwell(tmp_path, "hb-stuck", MAX_AGE_S))
        # It retried, and then a batch came through: it gets on.
        metrics.RETRIED.labels("hb-stuck").inc()
        metrics.ACKED.labels("hb-stuck").inc(5)
        beat._write()
        assert unwell(tmp_path, "hb-stuck", MAX_AGE_S) is None


async def test_it_is_written_again_and_again(tmp_path: Path) -> None:
    async with Heartbeat(tmp_path, ["hb-again"]) as beat:
        beat.ready()
        (file,) = tmp_path.glob("hb-again.*.json")
        file.write_text(
            json.dumps({"stage": "hb-again", "pid": 1, "state": "starting", "at": 0.0, "acked": 0})
        )
        assert "gave no sign" in str(unwell(tmp_path, "hb-again", MAX_AGE_S))
        await becomes(tmp_path, "hb-again", "None")


def test_one_of_several_processes_is_enough(tmp_path: Path) -> None:
    def write(pid: int, state: str, age_s: float) -> None:
        body = {"stage": "s", "pid": pid, "state": state, "at": time.time() - age_s, "acked": 0}
        (tmp_path / f"s.{pid}.json").write_text(json.dumps(body))

    write(1, "ready", 100)
    write(2, "starting", 0)
    assert "process 1 gave no sign for 100 s; process 2 is starting" in str(unwell(tmp_path, "s", MAX_AGE_S))
    write(3, "ready", 0)
    assert unwell(tmp_path, "s", MAX_AGE_S) is None
    (tmp_path / "s.4.json").write_text("{half")
    assert unwell(tmp_path, "s", MAX_AGE_S) is None
