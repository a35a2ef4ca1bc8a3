"""Everything in one place and for one run: an embedded broker, Postgres, a LanceDB folder, one worker for all stages.

Its state is ephemeral as a whole. Its processes are children of this one and end with it, however it ends.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from schemas.errors import ClaimstreamError
from streams.embedded.postgres import EmbeddedPostgres
from streams.embedded.process import Child
from streams.embedded.tansu import Tansu
from streams.heartbeat import unwell
from streams.settings import PREFIX, Settings, load
from streams.topology import RUNNABLE, STAGES
from topics.admin import create_topics

#: Tansu answers the first join of a group after half of it.
_SESSION_TIMEOUT_S: Final = 6.0
_READY_TIMEOUT_S: Final = 60.0
#: A worker that ends this often within a minute will not get better by being started again.
_MAX_RESTARTS: Final = 5
_RESTART_WINDOW_S: Final = 60.0

Tell = Callable[[str], None]


class WorkerKeepsFailing(ClaimstreamError):
    """The worker ended again and again."""


class WorkerGone(ClaimstreamError):
    """The worker ended, and what waits for it would wait in vain."""


class Stack:
    """Use as a context manager, in the main thread. `settings` are those of the pipeline once it is entered.

    `log_path`: what the worker says. `tell` is called with a line for a person at each step. `extra`: settings of
    the worker by name, over those of the environment.
    """

    def __init__(
        self, log_path: Path, tell: Tell = lambda _: None, extra: Mapping[str, str] | None = None
    ) -> None:
        self.log_path = log_path
        self._tell = tell
        self._extra = dict(extra or {})
        self._folder: Path | None = None
        self._broker = Tansu()
        self._postgres = EmbeddedPostgres()
        self._worker: Child | None = None
        self._restarts: list[float] = []
        self.addresses: dict[str, str] = {}

    def __enter__(self) -> Stack:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def settings(self) -> Settings:
        """The settings that reach this pipeline."""
        return load(**self.addresses, **self._extra)

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="claimstream-dev-"))
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        self.log_path.write_bytes(b"")
        bootstrap = self._broker.start()
        self._tell(f"broker: Tansu at {bootstrap}")
        dsn = self._postgres.start()
        self._tell(f"database: {self._postgres.kind}, {dsn}")
        self.addresses = {
            "bootstrap": bootstrap,
            "dsn": dsn,
            "lancedb_uri": str(self._folder / "lancedb"),
            "health_dir": str(self._folder / "health"),
            "session_timeout_s": str(_SESSION_TIMEOUT_S),
        }
        settings = self.settings
        asyncio.run(create_topics(bootstrap, settings.topic_prefix, settings.partitions))
        self._start_worker()
        self._wait_ready(settings)
        self._tell(f"stages: {', '.join(RUNNABLE)}")

    def _start_worker(self) -> None:
        given = {PREFIX + name.upper(): value for name, value in {**self.addresses, **self._extra}.items()}
        self._worker = Child(
            "the worker",
            [sys.executable, "-m", "streams.cli", "worker", "--all"],
            self.log_path,
            env={**os.environ, **given},
            grace_s=20.0,
        )

    def _wait_ready(self, settings: Settings) -> None:
        assert self._worker is not None

        def ready() -> bool:
            return not any(unwell(settings.health_dir, stage.name, 10.0) for stage in STAGES)

        self._worker.wait_until(ready, _READY_TIMEOUT_S)

    def check(self) -> None:
        """Raises WorkerGone, with the worker's last words, when it has ended."""
        if self._worker is not None and (code := self._worker.poll()) is not None:
            raise WorkerGone(
                f"the worker ended with exit code {code}; its last words ({self.log_path}):\n{self._worker.log_tail()}"
            )

    def watch(self) -> None:
        """Start the worker again when it has ended. Raises WorkerKeepsFailing. Call it now and then."""
        if self._worker is None or (code := self._worker.poll()) is None:
            return
        now = time.monotonic()
        self._restarts = [at for at in self._restarts if now - at < _RESTART_WINDOW_S] + [now]
        if len(self._restarts) > _MAX_RESTARTS:
            raise WorkerKeepsFailing(
                f"the worker ended {len(self._restarts)} times within a minute; its last words "
                f"({self.log_path}):\n{self._worker.log_tail()}"
            )
        self._tell(f"the worker ended with exit code {code} (see {self.log_path}); starting it again")
        self._start_worker()

    def stop(self) -> None:
        """End the worker, then the database, then the broker; nothing of this run stays but the log."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
        self._postgres.stop()
        self._broker.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
