"""How a worker tells that it is well: one small file for each stage and process, written anew every few seconds.

What counts is progress, not that a process exists: a stage that only retries is not ready, and one whose event loop
hangs writes no file.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from prometheus_client import REGISTRY

INTERVAL_S: Final = 2.0

#: ``starting``: no partitions assigned yet. ``retrying``: it tries a batch again and again and completes none.
State = Literal["starting", "ready", "retrying"]


@dataclass(frozen=True, slots=True)
class Beat:
    """What one file says; `at` in seconds since 1970, `acked` in records since the process began."""

    stage: str
    pid: int
    state: State
    at: float
    acked: int


class Heartbeat:
    """Writes the files of the stages of this process while the block is entered; takes them away at its end."""

    def __init__(self, folder: Path, stages: Sequence[str]) -> None:
        self._folder = folder
        self._stages = tuple(stages)
        self._ready = False
        self._counts = dict.fromkeys(self._stages, (0, 0))
        self._task: asyncio.Task[None] | None = None

    def ready(self) -> None:
        """The stages have their partitions: say so at once."""
        self._ready = True
        self._write()

    async def __aenter__(self) -> Heartbeat:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._write()
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        for stage in self._stages:
            self._path(stage).unlink(missing_ok=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            self._write()

    def _write(self) -> None:
        for stage in self._stages:
            acked, retried = _counts(stage)
            before_acked, before_retried = self._counts[stage]
            self._counts[stage] = (acked, retried)
            stuck = retried > before_retried and acked == before_acked
            state: State = "starting" if not self._ready else "retrying" if stuck else "ready"
            beat = Beat(stage, os.getpid(), state, time.time(), acked)
            half = self._path(stage).with_suffix(".new")
            half.write_text(json.dumps(asdict(beat)))
            half.replace(self._path(stage))

    def _path(self, stage: str) -> Path:
        return self._folder / f"{stage}.{os.getpid()}.json"


def _counts(stage: str) -> tuple[int, int]:
    acked = REGISTRY.get_sample_value("claimstream_acked_total", {"stage": stage})
    retried = REGISTRY.get_sample_value("claimstream_retried_batches_total", {"stage": stage})
    return int(acked or 0), int(retried or 0)


def unwell(folder: Path, stage: str, max_age_s: float) -> str | None:
    """Why no process of this machine runs `stage` well; None when one does."""
    reasons = []
    for beat in _beats(folder, stage):
        age = time.time() - beat.at
        if age > max_age_s:
            reasons.append(f"process {beat.pid} gave no sign for {age:.0f} s")
        elif beat.state == "ready":
            return None
        else:
            reasons.append(f"process {beat.pid} is {beat.state}")
    return "; ".join(reasons) or f"no worker writes to {folder}; start one with `claimstream worker {stage}`"


def _beats(folder: Path, stage: str) -> Iterator[Beat]:
    for path in sorted(folder.glob(f"{stage}.*.json")):
        with suppress(OSError, ValueError, TypeError):  # just being replaced, or of another version
            yield Beat(**json.loads(path.read_text()))
