"""At the first record of a partition: is this still the log that the ledger follows? (Nothing is changed here.)"""

from schemas.errors import IntegrityError
from sinks.ports import LogKey, Progress
from streams.kafka_log import PartitionLog, record_hash


async def refuse_another_log(source: PartitionLog, place: LogKey, progress: Progress) -> None:
    """Raises IntegrityError when the log was made anew, cut off, or lost records that were not processed yet.

    The end of the log is not asked for: Tansu answers with an end that lags for good behind batches of several
    records. The last processed record being there says the same.
    """
    where = f"{place.stage}: {place.topic}/{place.partition}"
    start = await source.first_offset(place.topic, place.partition)
    if start > progress.next_offset:
        raise IntegrityError(
            f"{where} begins at offset {start}, this stage is at {progress.next_offset}: retention removed records "
            "that were never processed. Nothing was changed; replay into a fresh schema to accept the loss"
        )
    if progress.last_offset is None or progress.last_offset < start:
        return
    last = await source.read(place.topic, place.partition, progress.last_offset)
    if last is None or record_hash(last) != progress.last_hash:
        found = "no record" if last is None else "another record"
        raise IntegrityError(
            f"{where} has {found} at offset {progress.last_offset}, where one was processed: the topic was made anew "
            "or cut off. Nothing was changed; connect to the right broker, or replay into a fresh schema"
        )
