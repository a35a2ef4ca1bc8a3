"""Calls that come at the same time share the model's batches: eight partitions with eight texts each cost as one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from processors.ports import Embedder

Answer = asyncio.Future[npt.NDArray[np.float32]]


class SharedEmbedder:
    """An embedder around another one, for one event loop.

    While the model is busy, calls wait and are then embedded together, as many as fit into ``run_texts`` (at least
    one): small enough that the first callers go on with their texts while the model has those of the others.
    """

    def __init__(self, inner: Embedder, run_texts: int = 64) -> None:
        self._inner = inner
        self._run_texts = run_texts
        self._waiting: deque[tuple[Sequence[str], Answer]] = deque()
        self._running: asyncio.Task[None] | None = None
        self.profile = inner.profile

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As the inner embedder's; an error of a shared run is every caller's error."""
        answer: Answer = asyncio.get_running_loop().create_future()
        self._waiting.append((texts, answer))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await answer

    def close(self) -> None:
        """Ends the inner embedder."""
        self._inner.close()

    async def _run(self) -> None:
        # A turn of the event loop, so that calls made in the same moment share the first run already.
        await asyncio.sleep(0)
        while self._waiting:
            calls = self._next_calls()
            try:
                rows = await self._inner.embed([text for texts, _ in calls for text in texts])
            except BaseException as error:
                for _, answer in calls:
                    if not answer.done():
                        answer.set_exception(
                            error if isinstance(error, Exception) else RuntimeError("cancelled")
                        )
                if not isinstance(error, Exception):
                    raise
                continue
            start = 0
            for texts, answer in calls:
                # A caller that was cancelled takes nothing.
                if not answer.done():
                    answer.set_result(rows[start : start + len(texts)])
                start += len(texts)

    def _next_calls(self) -> list[tuple[Sequence[str], Answer]]:
        calls = [self._waiting.popleft()]
        n = len(calls[0][0])
        while self._waiting and n + len(self._waiting[0][0]) <= self._run_texts:
            calls.append(self._waiting.popleft())
            n += len(calls[-1][0])
        return calls
