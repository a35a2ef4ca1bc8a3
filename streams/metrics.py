"""Counters of every stage. A stage's records can be counted: received = emitted + discarded + what is under
way.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

RECEIVED: Final = Counter(
    "claimstream_received", "Records handed to a stage, once for each delivery", ["stage"]
)
ACKED: Final = Counter(
    "claimstream_acked", "Records whose effects are durable and that were acknowledged", ["stage"]
)
RETRIED: Final = Counter(
    "claimstream_retried_batches", "Tries of a batch that failed and were repeated", ["stage"]
)
CRASHED: Final = Counter("claimstream_crashed_batches", "Batches that ended the process", ["stage"])
STALE: Final = Counter(
    "claimstream_stale",
    "Records not processed or not acknowledged because of a rebalance; they come again",
    ["stage"],
)
BATCH_SECONDS: Final = Histogram(
    "claimstream_batch_seconds",
    "Seconds from handing a partition's batch to its stage until its effects are durable",
    ["stage"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60),
)
ASSIGNED: Final = Gauge("claimstream_assigned_partitions", "Partitions this process owns", ["stage"])
