"""The stages without a broker: topics are lists in memory, and a stage runs until nothing is left to read.

For tests and replays: the same handlers, the same transactions, the same topology.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from streams.runner import Runner
from streams.stage import InRecord, OutRecord, Stage
from topics.declaration import TOPICS
from topics.partitioner import partition_of


@dataclass(slots=True)
class MemoryLog:
    """Topics as lists, partitioned by key as Kafka does. It is also a publisher (``publish``)."""

    partitions: int = 4
    prefix: str = "memory"
    topics: dict[str, dict[int, list[InRecord]]] = field(default_factory=dict)
    #: Milliseconds since 1970 UTC, stamped on every record: the driver has no clock.
    now_ms: int = 1_772_355_600_000

    async def publish(self, records: Sequence[OutRecord]) -> None:
        for record in records:
            self.append(record)

    def append(self, record: OutRecord) -> InRecord:
        count = self._partition_count(record.topic)
        partition = partition_of(record.key, count)
        log = self.topics.setdefault(record.topic, defaultdict(list))[partition]
        row = InRecord(
            record.topic, partition, len(log), record.key, record.value, record.headers, self.now_ms
        )
        log.append(row)
        return row

    def records(self, short: str) -> list[InRecord]:
        """All records of a topic (short name), by partition and offset."""
        log = self.topics.get(TOPICS[short].full_name(self.prefix), {})
        return [row for partition in sorted(log) for row in log[partition]]

    def size(self, short: str) -> int:
        """The number of records of a topic (short name)."""
        return sum(map(len, self.topics.get(TOPICS[short].full_name(self.prefix), {}).values()))

    def _partition_count(self, topic: str) -> int:
        declared = (row for row in TOPICS.values() if row.full_name(self.prefix) == topic)
        found = next(declared, None)
        return self.partitions if found is None else found.partition_count(self.partitions)


class Driver:
    """Runs stages over a MemoryLog, in the order given, until no stage has anything to read."""

    def __init__(self, log: MemoryLog, stages: Sequence[Stage], *, batch: int | None = None) -> None:
        """``batch``: records of one call at most; None: what each stage takes."""
        self._log = log
        self._stages = list(stages)
        self._runners = {stage.name: Runner(stage, max_tries=5) for stage in stages}
        self._batch = batch
        self.positions: dict[tuple[str, int], int] = defaultdict(int)

    async def __aenter__(self) -> "Driver":
        for stage in self._stages:
            await stage.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for stage in self._stages:
            await stage.stop()

    async def run(self) -> None:
        """Until quiet. An error of a stage propagates; running again goes on from the last done batch."""
        while any([await self._step(stage) for stage in self._stages]):
            pass

    async def _step(self, stage: Stage) -> bool:
        moved = False
        log: Mapping[int, list[InRecord]] = self._log.topics.get(stage.input_topic, {})
        size = min(self._batch or stage.max_batch, stage.max_batch)
        for partition in sorted(log):
            while (start := self.positions[stage.name, partition]) < len(log[partition]):
                batch = log[partition][start : start + size]
                await self._runners[stage.name].run(batch)
                self.positions[stage.name, partition] = start + len(batch)
                moved = True
        return moved
