"""Counters of the transactional path. The ledger's own counters are exact; these are for a dashboard."""

from collections import Counter as Count
from collections.abc import Sequence
from typing import Final

from prometheus_client import Counter

from streams.stage import OutRecord

EMITTED: Final = Counter(
    "claimstream_emitted", "Records published by a stage, once for each publication", ["stage", "topic"]
)
FENCE_LOST: Final = Counter(
    "claimstream_fence_lost", "Batches that were found done, by another worker or a former try", ["stage"]
)


def emitted(stage: str, records: Sequence[OutRecord]) -> None:
    """Counts what was published, by topic."""
    for topic, n in Count(record.topic for record in records).items():
        EMITTED.labels(stage, topic).inc(n)
