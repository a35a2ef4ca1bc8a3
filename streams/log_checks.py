"""At the first record of a partition: is this still the log that the ledger follows? (Nothing is changed here.)"""

import asyncio
from typing import Final

from schemas.errors import IntegrityError
from sinks.ports import LogKey, Progress
from streams.kafka_log import PartitionLog, record_hash

#: Some brokers (Tansu) answer with an end that lags behind what they have confirmed already.
_ASK_AGAIN_S: Final = (0.1, 0.2, 0.4, 0.8)


async def refuse_another_log(
    source: PartitionLog, place: LogKey, progress: Progress, seen_end: int = 0
) -> None:
    """Raises IntegrityError when the log was made anew, cut off, or lost records that were not processed yet.

    `seen_end`: the offset behind the last record that was read already, so the log reaches at least there.
    """
    where = f"{place.stage}: {place.topic}/{place.partition}"
    start, end = await _bounds(source, place, progress.next_offset, seen_end)
    if start > progress.next_offset:
        raise IntegrityError(
            f"{where} begins at offset {start}, this stage is at {progress.next_offset}: retention removed records "
            "that were never processed. Nothing was changed; replay into a fresh schema to accept the loss"
        )
    if end < progress.next_offset:
        raise IntegrityError(
            f"{where} ends at offset {end}, this stage is at {progress.next_offset}: the topic was made anew or cut "
            "off. Nothing was changed; connect to the right broker, or replay into a fresh schema"
        )
    if progress.last_offset is None or progress.last_offset < start:
        return
    last = await source.read(place.topic, place.partition, progress.last_offset)
    if last is None or record_hash(last) != progress.last_hash:
        raise IntegrityError(
            f"{where} has another record at offset {progress.last_offset} than the one that was processed: the topic "
            "was made anew. Nothing was changed; connect to the right broker, or replay into a fresh schema"
        )


async def _bounds(source: PartitionLog, place: LogKey, wanted_end: int, seen_end: int) -> tuple[int, int]:
    start, end = await source.bounds(place.topic, place.partition)
    for seconds in _ASK_AGAIN_S:
        if max(end, seen_end) >= wanted_end:
            break
        await asyncio.sleep(seconds)
        start, end = await source.bounds(place.topic, place.partition)
    return start, max(end, seen_end)
