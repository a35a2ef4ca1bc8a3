"""Are there records between two offsets? Asked when offsets jump: markers and retention leave gaps, a loss
does too.
"""

from __future__ import annotations

import asyncio
from typing import Final

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.errors import TransientError

_POLL_MS: Final = 500
_TIMEOUT_S: Final = 30.0


class Gaps:
    """Looks at the broker with a plain consumer (no group), opened at the first question."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._consumer: AIOKafkaConsumer | None = None
        self._one_at_a_time = asyncio.Lock()

    async def has_records(self, topic: str, partition: int, first: int, end: int) -> bool:
        """Is there a record with first <= offset < end? Raises TransientError when no broker answers."""
        try:
            async with self._one_at_a_time, asyncio.timeout(_TIMEOUT_S):
                return await self._look(await self._opened(), TopicPartition(topic, partition), first, end)
        except (KafkaError, TimeoutError, OSError) as exc:
            await self.stop()
            raise TransientError(
                f"cannot look at {topic}/{partition} from offset {first} at {self._bootstrap}: {exc}"
            ) from exc

    async def stop(self) -> None:
        """Close the connection."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await consumer.stop()

    async def _opened(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            consumer = AIOKafkaConsumer(
                bootstrap_servers=self._bootstrap,
                client_id="claimstream-gaps",
                enable_auto_commit=False,
                auto_offset_reset="earliest",  # the log may begin after `first` by now
                isolation_level="read_committed",  # aborted transactions are nothing that was said
            )
            self._consumer = consumer
            await consumer.start()
        return self._consumer

    @staticmethod
    async def _look(consumer: AIOKafkaConsumer, tp: TopicPartition, first: int, end: int) -> bool:
        consumer.assign([tp])
        consumer.seek(tp, first)
        # The position moves past transaction markers also when no record comes back.
        while await consumer.position(tp) < end:
            for record in (await consumer.getmany(tp, timeout_ms=_POLL_MS)).get(tp, []):
                return bool(record.offset < end)
        return False
