"""What a stage is to the machinery that runs it: records in, durable effects out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

Headers = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class InRecord:
    """One record as read: bytes undecoded, `timestamp_ms` in milliseconds since the epoch (UTC)."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    timestamp_ms: int = 0


@dataclass(frozen=True, slots=True)
class OutRecord:
    """One record to be written; the partition follows from the key."""

    topic: str
    key: bytes
    value: bytes
    headers: Headers = field(default=())


@runtime_checkable
class Stage(Protocol):
    """One step of the pipeline. `input_topic` is a full name; `max_batch` bounds the records of one
    `process` call.

    A further attribute, `linger_s: float | None`, is how long its records wait for others to share a batch, where that
    is not what the host has for all.
    """

    name: str
    input_topic: str
    max_batch: int

    async def start(self) -> None:
        """Open what the stage needs (pools, producers, models). Called once, before the first record."""

    async def stop(self) -> None:
        """Close it. Called once, also when `start` failed half-way or a batch crashed."""

    async def process(self, batch: Sequence[InRecord]) -> None:
        """Process records of any partitions of the topic, in offset order within each, none left out.

        When it returns, every effect is durable and every output record is confirmed by the broker: only
        then is the batch acknowledged. Raises TransientError to be called again with the same batch; any
        other exception ends the process, and the batch comes again after the restart. A record that can
        never be processed must be dead-lettered here, not raised.
        """
