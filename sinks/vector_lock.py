"""One writer at a time for a table in a local folder, across processes.

LanceDB does not notice when two writers merge the same new ids: both rows stay, without an error. Workers share
the entities between them, but around a rebalance two of them can hold the same event.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sinks.vector_rows import VectorStoreUnavailable

_RETRY_SECONDS = 0.01


class WriterLock:
    """Held by a task of this process and, with a ``path``, by one process of this machine."""

    def __init__(self, path: Path | None, patience: float = 60.0) -> None:
        self._path = path
        self._patience = patience
        self._mine = asyncio.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Raises VectorStoreUnavailable when another process keeps it for longer than ``patience`` seconds."""
        async with self._mine:
            if self._path is None:
                yield
                return
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # The kernel lets go of the lock when the process dies, however it dies.
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                await self._take(handle)
                yield
            finally:
                os.close(handle)

    async def _take(self, handle: int) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._patience
        while True:
            try:
                # Not blocking: a thread that waits for a lock cannot be cancelled.
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if loop.time() >= until:
                    raise VectorStoreUnavailable(
                        f"another process has been writing to the vector table for {self._patience:g} s; "
                        f"see who holds {self._path}"
                    ) from None
            await asyncio.sleep(_RETRY_SECONDS)
